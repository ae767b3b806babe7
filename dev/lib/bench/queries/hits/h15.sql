SELECT date_trunc('hour', event_time) AS hour, count(*) AS views
FROM hits
WHERE counter_id = 62 AND is_refresh = 0
GROUP BY hour
ORDER BY hour
LIMIT 100
