package dev.assay.gateway.call;

import dev.assay.gateway.definition.CleanText;
import dev.assay.gateway.definition.Json;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One line of JSON a call, without arguments, results and messages. */
final class CallLogger {
  private static final Logger LOG = LoggerFactory.getLogger("dev.assay.gateway.calls");
  private static final int MAX_NAME = 128;

  void write(
      Instant began,
      String run,
      int number,
      CallRequest request,
      int argumentBytes,
      CallReply outcome) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("time", began.toString());
    line.put("run", run);
    line.put("call", number);
    line.put("namespace", request.namespace());
    line.put("server", CleanText.line(request.server(), MAX_NAME));
    line.put("tool", CleanText.line(request.tool(), MAX_NAME));
    line.put("digest", request.digest());
    line.put("argumentBytes", argumentBytes);
    line.put("resultBytes", outcome.resultBytes());
    line.put("outcome", outcome.ok() ? "OK" : String.valueOf(outcome.code()));
    line.put("sent", outcome.sent().wireName());
    line.put("millis", outcome.millis());
    LOG.info("{}", Json.MAPPER.writeValueAsString(line));
  }
}
