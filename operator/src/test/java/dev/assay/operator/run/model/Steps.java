package dev.assay.operator.run.model;

import dev.assay.operator.run.model.Explorer.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The steps that are possible in a state, as they are found. */
final class Steps {
  private final World world;
  private final List<Step<World>> found = new ArrayList<>();

  Steps(World world) {
    this.world = world;
  }

  List<Step<World>> found() {
    return found;
  }

  void add(Supplier<String> name, Consumer<World> change) {
    World after = world.copy();
    change.accept(after);
    found.add(new Step<>(name, after.canonical()));
  }

  /** A fault after which a run may end as lost: a Pod, a process or a request was lost. */
  void addLoss(Supplier<String> name, Consumer<World> change) {
    addFault(name, change.andThen(World::recordLoss));
  }

  /**
   * A rare event, which uses up one of the faults that may happen. Not all are failures: a smaller
   * pool and a deleted run count too, to limit the number of states.
   */
  void addFault(Supplier<String> name, Consumer<World> change) {
    if (world.faults() > 0) {
      World after = world.afterFault();
      change.accept(after);
      found.add(new Step<>(() -> "FAULT: " + name.get(), after.canonical()));
    }
  }

  /**
   * A step of a process; a fault if the other process is at work too, since that needs a leader
   * that does not know that it was replaced.
   */
  void addAtWork(int process, Supplier<String> name, Consumer<World> change) {
    if (world.isAlone(process)) {
      add(name, change);
    } else {
      addFault(() -> "beside another process, " + name.get(), change);
    }
  }

  String name(int actor) {
    return name(actor, world.process(actor));
  }

  String name(int actor, int process) {
    return actor >= World.EXECUTIONS
        ? "the caretaker of process %d".formatted(process)
        : "execution %d of run %d in process %d".formatted(actor, World.runOf(actor), process);
  }
}
