package dev.assay.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/** Ten callers that run ordinary code concurrently, and one that loads a dataset. */
final class TenCallers {
  private static final int CALLERS = 10;
  private static final int MAX_MINUTES = 3;
  private static final int TIME_LIMIT_SECONDS = 120;
  private static final String DATASET = "sales_data";
  private static final String CODE =
      UserQuota.useOfAll() + "\nprint(df.groupby('region')['order_value'].sum().round(2))\n";

  private final Assay assay;

  TenCallers(Assay assay) {
    this.assay = assay;
  }

  /**
   * Their results.
   *
   * @param texts one per caller
   * @param took from the first call to the last reply
   */
  record Answers(List<String> texts, Duration took) {
    /** The lines of each caller's reply that are not in the other result of the same caller. */
    List<String> notIn(Answers other) {
      return IntStream.range(0, texts.size())
          .boxed()
          .flatMap(
              caller ->
                  texts
                      .get(caller)
                      .lines()
                      .filter(line -> other.texts().get(caller).lines().noneMatch(line::equals))
                      .map(line -> "caller " + caller + ": " + line))
          .toList();
    }
  }

  /** Half of them use MCP, half REST. */
  Answers call() {
    long began = System.nanoTime();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<String>> calls = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        calls.add(i % 2 == 0 ? this::byMcp : this::byRest);
      }
      calls.add(this::load);
      List<Future<String>> pending = calls.stream().map(threads::submit).toList();
      List<String> texts = pending.stream().map(TenCallers::text).toList();
      // A call that hangs would block the end of this block.
      threads.shutdownNow();
      return new Answers(texts, Duration.ofNanos(System.nanoTime() - began));
    }
  }

  private String byMcp() {
    Reply reply = assay.run(DATASET, CODE, TIME_LIMIT_SECONDS);
    return (reply.isError() ? "failed: " : "") + reply.text();
  }

  private String byRest() {
    var body =
        Rest.JSON
            .createObjectNode()
            .put("code", CODE)
            .put("dataset", DATASET)
            .put("timeoutSeconds", TIME_LIMIT_SECONDS);
    String name = assay.rest().post("/runs", body, 201).path("name").asText();
    String output = assay.rest().get("/runs/" + name + "/output?follow=true", 200).body();
    JsonNode ended = Rest.json(assay.rest().get("/runs/" + name, 200));
    boolean succeeded = ended.path("phase").asText().equals("Succeeded");
    return (succeeded ? "" : ended + ": ") + output;
  }

  private String load() {
    var answer =
        assay.rest().upload("beside?format=csv&wait=true", BodyPublishers.ofString("a\n1\n2\n"));
    JsonNode made = Rest.json(answer);
    return made.path("phase").asText() + " " + made.path("rows") + made.path("message").asText();
  }

  private static String text(Future<String> call) {
    try {
      return call.get(MAX_MINUTES, TimeUnit.MINUTES);
    } catch (ExecutionException e) {
      return "failed: " + e.getCause();
    } catch (TimeoutException e) {
      return "no answer within " + MAX_MINUTES + " minutes";
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
