SELECT region_id, sum(adv_engine_id) AS engines, count(*) AS views, avg(resolution_width) AS width,
       count(DISTINCT user_id) AS users
FROM hits
GROUP BY region_id
ORDER BY views DESC, region_id
LIMIT 10
