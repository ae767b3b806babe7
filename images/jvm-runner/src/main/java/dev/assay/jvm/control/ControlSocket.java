package dev.assay.jvm.control;

import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.Channel;
import java.nio.channels.Channels;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sends {@code ready}, {@code started}, {@code result}; receives one job, and {@code stop}. */
public final class ControlSocket {
  /** A job whose texts, of 512 KiB together, have every character escaped. */
  private static final int MAX_JOB_BYTES = 4 * 1024 * 1024;

  private static final int MAX_COMMAND_BYTES = 4096;

  private final ByteChannel channel;
  private final InputStream input;

  ControlSocket(ByteChannel channel) {
    this.channel = channel;
    this.input = Channels.newInputStream(channel);
  }

  /**
   * The socket that this process has as its standard input.
   *
   * @throws IOException if it is something else
   */
  public static ControlSocket inherited() throws IOException {
    Channel inherited = System.inheritedChannel();
    if (inherited instanceof ByteChannel channel) {
      return new ControlSocket(channel);
    }
    throw new IOException("standard input is not a socket: the launcher starts this program");
  }

  /** Reports that the worker waits for a job. */
  public void ready(long importsMs, long datasetMs) throws IOException {
    send(Messages.ready(importsMs, datasetMs));
  }

  /** The job; empty if there will be none. */
  public Optional<Job> receiveJob() throws IOException {
    Optional<byte[]> body = Frames.read(input, MAX_JOB_BYTES);
    return body.isEmpty() ? Optional.empty() : Optional.of(JobReader.read(body.get()));
  }

  /** Waits for the request to stop; returns false if there will be none. */
  public boolean awaitStop() throws IOException {
    Optional<byte[]> body = Frames.read(input, MAX_COMMAND_BYTES);
    return body.isPresent() && Messages.type(body.get()).equals("stop");
  }

  /** Reports that the first instruction of the user comes next. */
  public void started() throws IOException {
    send(Messages.plain("started"));
  }

  /** Sends how the job ended. */
  public void result(@Nullable JobFailure failure, @Nullable String value) throws IOException {
    send(Messages.result(failure, value));
  }

  /** Reports that all was sent that there is, as {@code stop} requested. */
  public void stopped() throws IOException {
    send(Messages.plain("stopped"));
  }

  private void send(byte[] body) throws IOException {
    ByteBuffer frame = Frames.encode(body);
    while (frame.hasRemaining()) {
      channel.write(frame);
    }
  }
}
