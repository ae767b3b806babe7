SELECT region_id, count(DISTINCT user_id) AS users
FROM hits
GROUP BY region_id
ORDER BY users DESC, region_id
LIMIT 10
