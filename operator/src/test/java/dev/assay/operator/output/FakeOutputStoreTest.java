package dev.assay.operator.output;

import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** What tests use behaves as a store of objects would. */
class FakeOutputStoreTest extends OutputStoreContract {
  private final ConcurrentNavigableMap<String, byte[]> objects = new ConcurrentSkipListMap<>();

  @Override
  OutputStore open() {
    return new FakeOutputStore(objects);
  }

  @Override
  OutputStore open(DefinitionLimit definitionLimit) {
    FakeOutputStore store = new FakeOutputStore(objects);
    store.maxDefinitionBytes = definitionLimit.maxBytes();
    return store;
  }
}
