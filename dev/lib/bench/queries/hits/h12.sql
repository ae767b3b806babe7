SELECT user_id, date_part('minute', event_time) AS minute, search_phrase, count(*) AS views
FROM hits
GROUP BY user_id, minute, search_phrase
ORDER BY views DESC, user_id, minute, search_phrase
LIMIT 10
