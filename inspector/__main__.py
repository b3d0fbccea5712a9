"""`python -m inspector`."""

try:
    from inspector.cli import main
except KeyboardInterrupt:
    raise SystemExit(130) from None

main()
