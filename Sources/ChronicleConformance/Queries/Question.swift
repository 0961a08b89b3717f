import Chronicle
import Foundation

/// A predicate, and what it is called in a report.
struct Question<Model: PersistentModel> {
    let text: String
    let predicate: Predicate<Model>

    init(_ text: String, _ predicate: Predicate<Model>) {
        (self.text, self.predicate) = (text, predicate)
    }
}

// Questions to a property of any type: the macro would need them written out for each.
extension Question {
    typealias Path<Value> = any KeyPath<Model, Value> & Sendable

    /// `==` and `!=` with each value.
    static func equality<Value: Equatable & Codable & Sendable>(
        _ name: String, _ path: Path<Value>, _ values: Value...
    ) -> [Question] {
        values.flatMap { value in
            [
                Question(
                    "\(name) == \(shown(value))",
                    Predicate<Model> { model in
                        PredicateExpressions.build_Equal(
                            lhs: PredicateExpressions.build_KeyPath(root: model, keyPath: path),
                            rhs: PredicateExpressions.build_Arg(value))
                    }),
                Question(
                    "\(name) != \(shown(value))",
                    Predicate<Model> { model in
                        PredicateExpressions.build_NotEqual(
                            lhs: PredicateExpressions.build_KeyPath(root: model, keyPath: path),
                            rhs: PredicateExpressions.build_Arg(value))
                    }),
            ]
        }
    }

    /// `<`, `<=`, `>` and `>=` with each value.
    static func order<Value: Comparable & Codable & Sendable>(
        _ name: String, _ path: Path<Value>, _ values: Value...
    ) -> [Question] {
        let orders: [(String, PredicateExpressions.ComparisonOperator)] = [
            ("<", .lessThan), ("<=", .lessThanOrEqual), (">", .greaterThan), (">=", .greaterThanOrEqual),
        ]
        return values.flatMap { value in
            orders.map { sign, order in
                Question(
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

extension StoreBench {
    /// Expects that the store finds for each question what `Predicate.evaluate` does, however it is asked.
    func expectAgreement<Model: PersistentModel>(_ questions: [Question<Model>]) throws {
        let (judge, asking) = (context(), context())
        let all = try judge.fetch(FetchDescriptor<Model>())
        for question in questions {
            let expected = try all.filter { try question.predicate.evaluate($0) }.map(\.persistentModelID)
            let descriptor = FetchDescriptor(predicate: question.predicate)
            let found = try asking.fetch(descriptor).map(\.persistentModelID)
            let what = "of \(Model.entityName) with \"\(question.text)\""
            try expect(found.sorted(), is: expected, "the rows \(what)")
            try expect(asking.fetchIdentifiers(descriptor), is: found, "the identifiers \(what)")
            try expect(asking.fetchCount(descriptor), is: found.count, "the count \(what)")
        }
    }
}
