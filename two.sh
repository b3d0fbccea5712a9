. /tmp/break/env.sh
export INSPECTOR_DB=/tmp/break/two.db; rm -f two.db*; $I import $S >/dev/null 2>&1
# race: apply same time
for i in 1 2 3 4; do $I compress db6d45bde70a -s fifo --apply >/tmp/break/o$i 2>&1 & $I compress db6d45bde70a -s sliding_window --set keep_recent=$((i+8)) --apply >/tmp/break/p$i 2>&1 & wait; tail -1 o$i p$i; grep -h -iE 'changed|stale|refus|locked' o$i p$i | head; done
$I store check
for i in 1 2; do $I import $S >/dev/null 2>&1 & $I import $D/claude-code >/dev/null 2>o9 & wait; done; cat o9|head -5;  $I store check
rm -f new.db*; for i in 1 2 3 4; do INSPECTOR_DB=new.db $I import $S >/dev/null 2>o$i & done; wait; cat o1 o2 o3 o4 | head; INSPECTOR_DB=new.db $I store check
rm -f e.json; for i in 1 2 3; do $I export tram-driver --out e.json >/dev/null 2>o$i & done; wait; cat o1 o2 o3; ls -l e.json
# big lock
/tmp/shot/bin/python - <<'P' &
import sqlite3,time
c=sqlite3.connect('/tmp/break/two.db',isolation_level=None);c.execute('begin exclusive');time.sleep(12);c.execute('rollback')
P
sleep 0.3; time $I ls | head -2; time $I undo db6d45bde70a | tail -2; wait
