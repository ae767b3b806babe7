package dev.assay.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Orders of a year, the same each time, and what queries of them must return: computed here, from
 * whole cents.
 */
record GeneratedSales(int year, List<Order> orders) {
  private static final List<String> CATEGORIES =
      List.of("Books", "Clothing", "Electronics", "Garden", "Toys");
  private static final List<String> REGIONS = List.of("East", "North", "South", "West");

  /** One order. */
  record Order(int id, String date, String category, String region, int quantity, long cents) {
    double revenue() {
      return cents / 100.0;
    }
  }

  /** Orders of one category. */
  record Total(String category, double revenue, long orders) {}

  static GeneratedSales of(int year, int rows) {
    List<Order> orders = new ArrayList<>(rows);
    for (int i = 0; i < rows; i++) {
      orders.add(
          new Order(
              year * 10_000 + i,
              "%d-%02d-%02d".formatted(year, i % 12 + 1, i % 28 + 1),
              CATEGORIES.get(i * 7 % 11 % CATEGORIES.size()),
              REGIONS.get(i * 13 % 17 % REGIONS.size()),
              i * 31 % 9 + 1,
              (long) i * 7919 % 250_007 + year));
    }
    return new GeneratedSales(year, orders);
  }

  String csv() {
    return orders.stream()
        .map(
            order ->
                "%d,%d,%s,%s,%s,%d,%d.%02d\n"
                    .formatted(
                        order.id,
                        year,
                        order.date,
                        order.category,
                        order.region,
                        order.quantity,
                        order.cents / 100,
                        order.cents % 100))
        .collect(
            Collectors.joining(
                "", "order_id,year,order_date,category,region,quantity,revenue\n", ""));
  }

  double revenue() {
    return orders.stream().mapToLong(Order::cents).sum() / 100.0;
  }

  double averageQuantity() {
    return orders.stream().mapToInt(Order::quantity).average().orElseThrow();
  }

  /** By category, the largest revenue first. */
  static List<Total> totals(List<Order> orders) {
    Map<String, List<Order>> byCategory =
        orders.stream()
            .collect(Collectors.groupingBy(Order::category, TreeMap::new, Collectors.toList()));
    return byCategory.entrySet().stream()
        .map(
            group ->
                new Total(
                    group.getKey(),
                    group.getValue().stream().mapToLong(Order::cents).sum() / 100.0,
                    group.getValue().size()))
        .sorted((a, b) -> Double.compare(b.revenue, a.revenue))
        .toList();
  }
}
