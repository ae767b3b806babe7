package dev.assay.jvm.control;

import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.Job.Chart;
import dev.assay.jvm.job.Job.DatasetName;
import dev.assay.jvm.job.Job.Reply;
import dev.assay.jvm.job.JobFiles;
import dev.assay.jvm.job.JobFiles.InputFile;
import dev.assay.jvm.job.JobFiles.TextFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Reads a job from a message. Members that it does not know are skipped, null ones are absent. */
final class JobReader {
  private static final JsonFactory JSON = new JsonFactory();

  private final JsonParser json;
  private String kind = "";
  private String code = "";
  private String language = "";
  private String name = "";
  private @Nullable String input;
  private List<DatasetName> datasets = List.of();
  private Reply reply = Reply.DEFAULT;
  private List<TextFile> texts = List.of();
  private List<InputFile> inputs = List.of();
  private final Set<String> collected = new HashSet<>();
  private int maxCollected;
  private int maxParallel;

  private JobReader(JsonParser json) {
    this.json = json;
  }

  /** The job in a message. */
  static Job read(byte[] message) throws IOException {
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), message)) {
      JobReader reader = new JobReader(json);
      json.nextToken();
      reader.members(reader::member);
      return reader.job();
    } catch (JacksonException e) {
      throw new IOException("the job is not JSON", e);
    }
  }

  private Job job() {
    JobFiles files = new JobFiles(texts, inputs, collected, maxCollected);
    return new Job(kind, code, language, name, input, datasets, reply, files, maxParallel);
  }

  private void member(String member) throws IOException {
    switch (member) {
      case "kind" -> kind = text();
      case "code" -> code = text();
      case "language" -> language = text();
      case "name" -> name = text();
      case "input" -> input = text();
      case "datasets" -> datasets = array(this::dataset);
      case "reply" -> reply = reply();
      case "files" -> texts = array(this::textFile);
      case "inputs" -> inputs = array(this::inputFile);
      case "collect" -> collect();
      case "tools" -> tools();
      default -> json.skipChildren();
    }
  }

  private DatasetName dataset() throws IOException {
    if (json.hasToken(JsonToken.VALUE_STRING)) {
      return new DatasetName(json.getString(), json.getString());
    }
    String[] names = {"", ""};
    members(
        member -> {
          switch (member) {
            case "name" -> names[0] = text();
            case "displayName" -> names[1] = text();
            default -> json.skipChildren();
          }
        });
    return new DatasetName(names[0], names[1].isEmpty() ? names[0] : names[1]);
  }

  private Reply reply() throws IOException {
    int[] rows = {Reply.DEFAULT.rows()};
    Chart[] chart = new Chart[1];
    String[] timeZone = new String[1];
    members(
        member -> {
          switch (member) {
            case "rows" -> rows[0] = integer();
            case "chart" -> chart[0] = chart();
            case "timeZone" -> timeZone[0] = text();
            default -> json.skipChildren();
          }
        });
    return new Reply(rows[0], chart[0], timeZone[0]);
  }

  private Chart chart() throws IOException {
    String[] type = new String[1];
    members(
        member -> {
          if (member.equals("type")) {
            type[0] = text();
          } else {
            json.skipChildren();
          }
        });
    return new Chart(type[0]);
  }

  private TextFile textFile() throws IOException {
    String[] file = {"", ""};
    members(
        member -> {
          switch (member) {
            case "path" -> file[0] = text();
            case "text" -> file[1] = text();
            default -> json.skipChildren();
          }
        });
    return new TextFile(file[0], file[1]);
  }

  private InputFile inputFile() throws IOException {
    int[] number = new int[1];
    String[] file = new String[3];
    members(
        member -> {
          switch (member) {
            case "number" -> number[0] = integer();
            case "path" -> file[0] = text();
            case "frame" -> file[1] = text();
            case "kind" -> file[2] = text();
            default -> json.skipChildren();
          }
        });
    return new InputFile(number[0], file[0], file[1], file[2]);
  }

  private void collect() throws IOException {
    members(
        member -> {
          switch (member) {
            case "folders" -> collected.addAll(array(this::text));
            case "maxCount" -> maxCollected = integer();
            default -> json.skipChildren();
          }
        });
  }

  private void tools() throws IOException {
    members(
        member -> {
          if (member.equals("maxParallel")) {
            maxParallel = integer();
          } else {
            json.skipChildren();
          }
        });
  }

  @FunctionalInterface
  private interface Member {
    void read(String name) throws IOException;
  }

  @FunctionalInterface
  private interface Element<T> {
    T read() throws IOException;
  }

  private void members(Member member) throws IOException {
    expect(JsonToken.START_OBJECT);
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = json.currentName();
      if (json.nextToken() != JsonToken.VALUE_NULL) {
        member.read(name);
      }
    }
  }

  private <T> List<T> array(Element<T> element) throws IOException {
    expect(JsonToken.START_ARRAY);
    List<T> elements = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      elements.add(element.read());
    }
    return elements;
  }

  private String text() throws IOException {
    expect(JsonToken.VALUE_STRING);
    return json.getString();
  }

  private int integer() throws IOException {
    expect(JsonToken.VALUE_NUMBER_INT);
    return json.getIntValue();
  }

  private void expect(JsonToken token) throws IOException {
    if (!json.hasToken(token)) {
      throw new IOException("a message is malformed");
    }
  }
}
