"""The SQL that the session runs more than once, or that its memo stands on."""

from __future__ import annotations

NIGHTS = """select s.id, s.street, round(avg(m.lo), 2) as night, round(max(m.lo), 1) as warmest
from (select station, substr(at, 1, 10) as day, min(c) as lo from air where substr(at, 12, 2) < '08'
      group by station, substr(at, 1, 10)) m
join stations s on s.id = m.station group by s.id, s.street order by avg(m.lo) desc, s.id"""

SCORE = """with night as (
  select s.street, avg(m.lo) - 17.57 - case s.id when 'H-07' then 0.7 else 0 end as above
  from (select station, min(c) as lo from air where substr(at, 12, 2) < '08'
        group by station, substr(at, 1, 10)) m
  join stations s on s.id = m.station where s.id like 'H-%' group by s.id, s.street),
people as (select name, district, residents * over65_pct / 100.0 as old from streets),
ill as (
  select c.district, sum(c.calls) * 1000.0 / (select sum(x.residents) from streets x where x.district = c.district)
    as per_1000 from calls c group by c.district)
select p.name, round(n.above, 2) as night, round(p.old, 0) as over65, round(i.per_1000, 2) as calls_per_1000,
  round(0.5 * n.above / (select max(above) from night) + 0.3 * p.old / (select max(old) from people)
      + 0.2 * i.per_1000 / (select max(per_1000) from ill), 3) as score
from people p join night n on n.street = p.name join ill i on i.district = p.district order by score desc, p.name"""

AFTERNOONS = """select s.street, substr(a.at, 1, 10) as day,
  round(max(a.c - case when a.station = 'H-07' then 1.4 else 0 end), 1) as highest
from air a join stations s on s.id = a.station
where a.station like 'H-%' and a.at >= '2026-07-13' and a.at < '2026-07-20'
  and not (a.station = 'H-19' and a.at > '2026-07-15 13:00' and a.at <= '2026-07-15 19:00')
group by s.street, day order by s.street, day"""
