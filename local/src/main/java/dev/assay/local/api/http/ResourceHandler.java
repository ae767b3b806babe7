package dev.assay.local.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.http.ListHandler.Page;
import dev.assay.local.api.http.WatchHandler.Watched;
import dev.assay.local.api.patch.Patches;
import dev.assay.local.api.registry.DeleteOptions;
import dev.assay.local.api.registry.DeleteOptions.Propagation;
import dev.assay.local.api.registry.Registry;
import dev.assay.local.api.registry.WriteOptions;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.selector.FieldSelector;
import dev.assay.local.api.selector.LabelSelector;
import dev.assay.local.api.status.ApiException;
import dev.assay.local.api.table.Tables;
import dev.assay.local.api.table.Tables.IncludeObject;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/** Requests for stored objects. */
final class ResourceHandler {
  private static final int OK = 200;
  private static final int CREATED = 201;

  private final Registry registry;
  private final ListHandler lists;
  private final WatchHandler watches;
  private final Tables tables;

  ResourceHandler(Registry registry, Tables tables) {
    this.registry = registry;
    this.lists = new ListHandler(registry.storage());
    this.watches = new WatchHandler(registry.storage());
    this.tables = tables;
  }

  void serve(RequestInfo info, Request request, Response response)
      throws IOException, InterruptedException {
    Parameters parameters = Parameters.of(request);
    String method = request.getMethod();
    if (!info.isCollection()) {
      serveObject(info, method, parameters, request, response);
    } else if (method.equals("GET")) {
      readCollection(info, parameters, request, response);
    } else if (method.equals("POST")) {
      requireNamespace(info);
      create(info, parameters, request, response);
    } else if (method.equals("DELETE")) {
      requireNamespace(info);
      deleteCollection(info, parameters, request, response);
    } else {
      throw ApiException.methodNotAllowed();
    }
  }

  private static void requireNamespace(RequestInfo info) {
    if (info.resource().namespaced() && info.namespace().isEmpty()) {
      throw ApiException.methodNotAllowed();
    }
  }

  private void serveObject(
      RequestInfo info, String method, Parameters parameters, Request request, Response response)
      throws IOException {
    @Nullable String subresource = info.subresource().isEmpty() ? null : info.subresource();
    switch (method) {
      case "GET" ->
          answer(info, registry.get(info.resource(), info.key()), parameters, request, response);
      case "PUT" -> {
        Bodies.requireJson(request);
        ObjectNode updated =
            registry.update(
                info.resource(),
                info.key(),
                subresource,
                Bodies.read(request),
                writeOptions(parameters));
        answer(info, updated, parameters, request, response);
      }
      case "PATCH" -> {
        String mediaType = Bodies.mediaType(request);
        Patches.checkType(mediaType);
        ObjectNode patched =
            registry.patch(
                info.resource(),
                info.key(),
                subresource,
                mediaType,
                Bodies.read(request),
                writeOptions(parameters));
        answer(info, patched, parameters, request, response);
      }
      case "DELETE" -> {
        if (subresource != null) {
          throw ApiException.methodNotAllowed();
        }
        DeleteOptions options = deleteOptions(parameters, Bodies.readIfAny(request));
        Bodies.write(response, OK, registry.delete(info.resource(), info.key(), options));
      }
      default -> throw ApiException.methodNotAllowed();
    }
  }

  private void create(RequestInfo info, Parameters parameters, Request request, Response response)
      throws IOException {
    Bodies.requireJson(request);
    ObjectNode created =
        registry.create(
            info.resource(), info.namespace(), Bodies.read(request), writeOptions(parameters));
    Bodies.write(response, CREATED, created);
  }

  private void readCollection(
      RequestInfo info, Parameters parameters, Request request, Response response)
      throws IOException, InterruptedException {
    ResourceDefinition resource = info.resource();
    boolean asTable = isTable(request);
    Predicate<ObjectNode> selected = selected(resource, parameters);
    if (parameters.flag("watch")) {
      IncludeObject include = include(parameters);
      Watched watched =
          new Watched(
              resource,
              info.namespace(),
              selected,
              asTable ? object -> table(resource, object, include) : object -> object);
      watches.serve(watched, parameters, request, response);
      return;
    }
    Page page = lists.list(resource, info.namespace(), selected, parameters);
    Bodies.write(
        response,
        OK,
        asTable
            ? tables.of(resource.columns(), page.objects(), page.metadata(), include(parameters))
            : list(resource, page.objects(), page.metadata()));
  }

  private void deleteCollection(
      RequestInfo info, Parameters parameters, Request request, Response response)
      throws IOException {
    ResourceDefinition resource = info.resource();
    List<ObjectNode> found =
        registry.deleteCollection(
            resource,
            info.namespace(),
            selected(resource, parameters),
            deleteOptions(parameters, Bodies.readIfAny(request)));
    ObjectNode metadata = JsonNodeFactory.instance.objectNode();
    metadata.put("resourceVersion", Long.toString(registry.storage().revision()));
    Bodies.write(response, OK, list(resource, found, metadata));
  }

  private static ObjectNode list(
      ResourceDefinition resource, List<ObjectNode> objects, ObjectNode metadata) {
    ObjectNode list = JsonNodeFactory.instance.objectNode();
    list.put("kind", resource.names().kind() + "List").put("apiVersion", resource.apiVersion());
    list.set("metadata", metadata);
    ArrayNode items = list.putArray("items");
    objects.forEach(items::add);
    return list;
  }

  private void answer(
      RequestInfo info,
      ObjectNode object,
      Parameters parameters,
      Request request,
      Response response)
      throws IOException {
    Bodies.write(
        response,
        OK,
        isTable(request) ? table(info.resource(), object, include(parameters)) : object);
  }

  private ObjectNode table(ResourceDefinition resource, ObjectNode object, IncludeObject include) {
    ObjectNode metadata = JsonNodeFactory.instance.objectNode();
    metadata.set("resourceVersion", object.path("metadata").path("resourceVersion"));
    return tables.of(resource.columns(), List.of(object), metadata, include);
  }

  private static boolean isTable(Request request) {
    String accept = String.join(",", request.getHeaders().getValuesList(HttpHeader.ACCEPT));
    return MediaTypes.accepted(accept) == MediaTypes.TABLE;
  }

  private static IncludeObject include(Parameters parameters) {
    String wanted = parameters.text("includeObject").toUpperCase(Locale.ROOT);
    try {
      return wanted.isEmpty() ? IncludeObject.METADATA : IncludeObject.valueOf(wanted);
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest("includeObject is None, Metadata or Object");
    }
  }

  private static Predicate<ObjectNode> selected(
      ResourceDefinition resource, Parameters parameters) {
    Predicate<JsonNode> labels = LabelSelector.parse(parameters.text("labelSelector"));
    Predicate<JsonNode> fields =
        FieldSelector.parse(parameters.text("fieldSelector"), resource.names().kind());
    return object -> labels.test(object) && fields.test(object);
  }

  private static WriteOptions writeOptions(Parameters parameters) {
    return new WriteOptions(
        dryRun(parameters), parameters.text("fieldValidation").equals("Strict"));
  }

  private static boolean dryRun(Parameters parameters) {
    return switch (parameters.text("dryRun")) {
      case "" -> false;
      case "All" -> true;
      default -> throw ApiException.badRequest("dryRun is All, or absent");
    };
  }

  /** What the body says goes before what the query says. */
  private static DeleteOptions deleteOptions(Parameters parameters, JsonNode body) {
    if (!body.isMissingNode() && !body.isObject()) {
      throw ApiException.badRequest("the body of the request is not of kind DeleteOptions");
    }
    JsonNode grace = body.path("gracePeriodSeconds");
    JsonNode preconditions = body.path("preconditions");
    return new DeleteOptions(
        grace.isIntegralNumber()
            ? Long.valueOf(grace.asLong())
            : parameters.number("gracePeriodSeconds"),
        Propagation.parse(
            body.path("propagationPolicy").asText(parameters.text("propagationPolicy"))),
        text(preconditions.path("uid")),
        text(preconditions.path("resourceVersion")),
        dryRun(parameters) || !body.path("dryRun").isEmpty());
  }

  private static @Nullable String text(JsonNode value) {
    return value.isTextual() ? value.asText() : null;
  }
}
