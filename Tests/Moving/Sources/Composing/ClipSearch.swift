import Foundation
import SwiftData

/// A search whose predicate is made of expressions, without the macro: each part has a switch, and the parts are combined.
public struct ClipSearch: Sendable {
    public var kinds: [Clip.Kind] = []
    public var text = ""
    public var after: Date?
    public var minimumUses = 0
    public var hidesSecrets = false
    public var source: String?

    public init() {}

    public var predicate: Predicate<Clip> {
        let raws = kinds.map(\.rawValue)
        let (text, after, uses, hides) = (text, after ?? .distantPast, minimumUses, hidesSecrets)
        return Predicate<Clip> { clip in
            let root = PredicateExpressions.build_Arg(clip)
            return both(
                both(
                    clause(
                        !raws.isEmpty,
                        PredicateExpressions.build_contains(
                            PredicateExpressions.build_Arg(raws),
                            PredicateExpressions.build_KeyPath(root: root, keyPath: \.kind))),
                    clause(
                        hides,
                        PredicateExpressions.build_Negation(
                            PredicateExpressions.build_KeyPath(root: root, keyPath: \.isSecret)))
                ),
                both(
                    clause(
                        !text.isEmpty,
                        PredicateExpressions.build_NilCoalesce(
                            lhs: PredicateExpressions.build_flatMap(
                                PredicateExpressions.build_KeyPath(root: root, keyPath: \.text)
                            ) {
                                PredicateExpressions.build_localizedStandardContains(
                                    PredicateExpressions.build_Arg($0), PredicateExpressions.build_Arg(text))
                            },
                            rhs: PredicateExpressions.build_Arg(false))),
                    both(
                        PredicateExpressions.build_Comparison(
                            lhs: PredicateExpressions.build_KeyPath(root: root, keyPath: \.copied),
                            rhs: PredicateExpressions.build_Arg(after), op: .greaterThan),
                        PredicateExpressions.build_Comparison(
                            lhs: PredicateExpressions.build_KeyPath(root: root, keyPath: \.uses),
                            rhs: PredicateExpressions.build_Arg(uses), op: .greaterThanOrEqual))))
        }
    }

    /// The same search, of existential expressions in an array.
    public var listedPredicate: Predicate<Clip> {
        let search = self
        return Predicate<Clip> { clip in
            var conditions: [any StandardPredicateExpression<Bool>] = []
            if !search.kinds.isEmpty {
                conditions.append(
                    PredicateExpressions.build_contains(
                        PredicateExpressions.Value(search.kinds.map(\.rawValue)),
                        PredicateExpressions.build_KeyPath(root: clip, keyPath: \.kind)))
            }
            if search.hidesSecrets {
                conditions.append(
                    PredicateExpressions.build_Equal(
                        lhs: PredicateExpressions.build_KeyPath(root: clip, keyPath: \.isSecret),
                        rhs: PredicateExpressions.Value(false)))
            }
            if let after = search.after {
                conditions.append(
                    PredicateExpressions.build_Comparison(
                        lhs: PredicateExpressions.build_KeyPath(root: clip, keyPath: \.copied),
                        rhs: PredicateExpressions.Value(after), op: .greaterThan))
            }
            if let source = search.source {
                // The optional to-one relationship, without the macro's optional chaining.
                conditions.append(
                    PredicateExpressions.build_Equal(
                        lhs: PredicateExpressions.build_flatMap(
                            PredicateExpressions.build_KeyPath(root: clip, keyPath: \.source)
                        ) {
                            PredicateExpressions.build_KeyPath(root: $0, keyPath: \.name)
                        },
                        rhs: PredicateExpressions.build_Arg(source as String?)))
            }
            guard var result = conditions.first else { return PredicateExpressions.Value(true) }
            for condition in conditions.dropFirst() { result = conjunction(result, condition) }
            return result
        }
    }

    public func descriptor(page: Int = 0, size: Int = 20) -> FetchDescriptor<Clip> {
        var descriptor = FetchDescriptor(
            predicate: predicate, sortBy: [.init(\.copied, order: .reverse), .init(\.text)])
        descriptor.fetchLimit = size
        descriptor.fetchOffset = page * size
        descriptor.relationshipKeyPathsForPrefetching = [\.source, \.labels]
        return descriptor
    }
}

/// A part of a search that has an effect only if it is active.
private func clause(
    _ isActive: Bool, _ expression: some StandardPredicateExpression<Bool>
) -> some StandardPredicateExpression<Bool> {
    PredicateExpressions.build_Disjunction(
        lhs: PredicateExpressions.build_Negation(PredicateExpressions.build_Arg(isActive)), rhs: expression)
}

private func both(
    _ lhs: some StandardPredicateExpression<Bool>, _ rhs: some StandardPredicateExpression<Bool>
) -> some StandardPredicateExpression<Bool> {
    PredicateExpressions.build_Conjunction(lhs: lhs, rhs: rhs)
}

private func conjunction(
    _ lhs: some StandardPredicateExpression<Bool>, _ rhs: some StandardPredicateExpression<Bool>
) -> any StandardPredicateExpression<Bool> {
    PredicateExpressions.Conjunction(lhs: lhs, rhs: rhs)
}
