import Chronicle
import Foundation

/// A predicate with a description for the report.
struct PredicateCase<Model: PersistentModel> {
    let text: String
    let predicate: Predicate<Model>

    init(_ text: String, _ predicate: Predicate<Model>) {
        (self.text, self.predicate) = (text, predicate)
    }
}

// Predicates on a property of any type; `#Predicate` would require one for each type.
extension PredicateCase {
    typealias Path<Value> = any KeyPath<Model, Value> & Sendable

    static func equality<Value: Equatable & Codable & Sendable>(
        _ name: String, _ path: Path<Value>, _ values: Value...
    ) -> [PredicateCase] {
        values.flatMap { value in
            [
                PredicateCase(
                    "\(name) == \(shown(value))",
                    Predicate<Model> { model in
                        PredicateExpressions.build_Equal(
                            lhs: PredicateExpressions.build_KeyPath(root: model, keyPath: path),
                            rhs: PredicateExpressions.build_Arg(value))
                    }),
                PredicateCase(
                    "\(name) != \(shown(value))",
                    Predicate<Model> { model in
                        PredicateExpressions.build_NotEqual(
                            lhs: PredicateExpressions.build_KeyPath(root: model, keyPath: path),
                            rhs: PredicateExpressions.build_Arg(value))
                    }),
            ]
        }
    }

    static func order<Value: Comparable & Codable & Sendable>(
        _ name: String, _ path: Path<Value>, _ values: Value...
    ) -> [PredicateCase] {
        let orders: [(String, PredicateExpressions.ComparisonOperator)] = [
            ("<", .lessThan), ("<=", .lessThanOrEqual), (">", .greaterThan), (">=", .greaterThanOrEqual),
        ]
        return values.flatMap { value in
            orders.map { sign, order in
                PredicateCase(
                    "\(name) \(sign) \(shown(value))",
                    Predicate<Model> { model in
                        PredicateExpressions.build_Comparison(
                            lhs: PredicateExpressions.build_KeyPath(root: model, keyPath: path),
                            rhs: PredicateExpressions.build_Arg(value), op: order)
                    })
            }
        }
    }
}

extension StoreHarness {
    /// Fetches, counts, and identifiers agree with `Predicate.evaluate`.
    func expectAgreement<Model: PersistentModel>(_ predicateCases: [PredicateCase<Model>]) throws {
        let (evaluating, fetching) = (context(), context())
        let all = try evaluating.fetch(FetchDescriptor<Model>())
        for predicateCase in predicateCases {
            let expected = try all.filter { try predicateCase.predicate.evaluate($0) }.map(\.persistentModelID)
            let descriptor = FetchDescriptor(predicate: predicateCase.predicate)
            let found = try fetching.fetch(descriptor).map(\.persistentModelID)
            let what = "of \(Model.entityName) with \"\(predicateCase.text)\""
            try expect(found.sorted(), is: expected, "the rows \(what)")
            try expect(fetching.fetchIdentifiers(descriptor), is: found, "the identifiers \(what)")
            try expect(fetching.fetchCount(descriptor), is: found.count, "the count \(what)")
        }
    }
}
