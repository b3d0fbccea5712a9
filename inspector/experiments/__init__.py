"""Many replays of one session: presets side by side, grids, sweeps, recommendations."""
