package dev.assay.operator.kubernetes;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.InlineSource;
import dev.assay.api.v1alpha1.RunResult;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the operator's client reads objects: without what is large and no decision is made from. Code
 * and inline tables read as empty text, results and the annotations of others as none, so that
 * caches of thousands of runs stay small. {@link WholeObjects} reads all of one object.
 */
@SuppressWarnings("UnusedMethod") // Jackson reads the annotations of the mix-ins.
public final class CacheSerialization {
  private static final String OWN = "assay.dev/";

  private CacheSerialization() {}

  /** A serialization for a client whose informers keep what they read. */
  public static KubernetesSerialization create() {
    ObjectMapper mapper = new ObjectMapper();
    mapper.addMixIn(AnalyticsRunSpec.class, WithoutCode.class);
    mapper.addMixIn(AnalyticsRunStatus.class, WithoutResult.class);
    mapper.addMixIn(InlineSource.class, WithoutText.class);
    mapper.addMixIn(ObjectMeta.class, LightMetadata.class);
    return new KubernetesSerialization(mapper, true);
  }

  private interface WithoutCode {
    @JsonDeserialize(using = EmptyText.class)
    String code();
  }

  private interface WithoutText {
    @JsonDeserialize(using = EmptyText.class)
    String text();
  }

  private interface WithoutResult {
    @JsonDeserialize(using = NoResult.class)
    @Nullable RunResult result();
  }

  @JsonIgnoreProperties("managedFields")
  private interface LightMetadata {
    @JsonDeserialize(using = OwnAnnotations.class)
    @Nullable Map<String, String> getAnnotations();

    @JsonDeserialize(using = OwnAnnotations.class)
    void setAnnotations(@Nullable Map<String, String> annotations);
  }

  /** Passes over the annotations of others: that of kubectl holds all of the object again. */
  static final class OwnAnnotations extends StdDeserializer<Map<String, String>> {
    private static final long serialVersionUID = 1;

    OwnAnnotations() {
      super(Map.class);
    }

    @Override
    public Map<String, String> deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      Map<String, String> own = new LinkedHashMap<>();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        parser.nextToken();
        if (name.startsWith(OWN)) {
          own.put(name, parser.getText());
        } else {
          parser.skipChildren();
        }
      }
      return own;
    }
  }

  /** Passes over a text. */
  static final class EmptyText extends StdDeserializer<String> {
    private static final long serialVersionUID = 1;

    EmptyText() {
      super(String.class);
    }

    @Override
    public String deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      parser.skipChildren();
      return "";
    }
  }

  /** Passes over a result. */
  static final class NoResult extends StdDeserializer<RunResult> {
    private static final long serialVersionUID = 1;

    NoResult() {
      super(RunResult.class);
    }

    @Override
    public @Nullable RunResult deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      parser.skipChildren();
      return null;
    }
  }
}
