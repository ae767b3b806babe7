package dev.assay.local.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.status.ApiException;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectRulesReviewStatus;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectRulesReviewStatusBuilder;
import java.io.IOException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/** Answers what a client may do, which is everything: each has the token of the server. */
final class RulesReviewHandler {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CREATED = 201;
  private static final String ANY = "*";

  private static final SubjectRulesReviewStatus EVERYTHING =
      new SubjectRulesReviewStatusBuilder()
          .withIncomplete(false)
          .addNewResourceRule()
          .withApiGroups(ANY)
          .withResources(ANY)
          .withVerbs(ANY)
          .endResourceRule()
          .addNewNonResourceRule()
          .withNonResourceURLs(ANY)
          .withVerbs(ANY)
          .endNonResourceRule()
          .build();

  void serve(RequestInfo info, Request request, Response response) throws IOException {
    if (!info.isCollection() || !request.getMethod().equals("POST")) {
      throw ApiException.methodNotAllowed();
    }
    Bodies.requireJson(request);
    JsonNode body = Bodies.read(request);
    if (!(body instanceof ObjectNode review) || !body.path("spec").path("namespace").isTextual()) {
      throw ApiException.badRequest(
          "the body of the request is not a SelfSubjectRulesReview with a namespace");
    }
    review.set("status", JSON.valueToTree(EVERYTHING));
    Bodies.write(response, CREATED, review);
  }
}
