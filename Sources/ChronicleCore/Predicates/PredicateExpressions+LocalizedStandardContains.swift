public import Foundation

#if !canImport(Darwin)
    extension PredicateExpressions {
        /// Creates the expression for `text.localizedStandardContains(part)` in a `#Predicate`, which Foundation provides on Apple
        /// platforms only. Ignores case and diacritics, so that `"Café"` contains `"CAFE"`.
        ///
        /// It follows the Unicode rules and ignores the current locale, so that all processes that share a store find the same
        /// models. No text contains the empty string.
        ///
        /// - Parameters:
        ///   - root: The expression for the text.
        ///   - other: The expression for the part to find.
        /// - Returns: An expression that is true when the text contains the part.
        public static func build_localizedStandardContains<Root, Other>(
            _ root: Root, _ other: Other
        ) -> some StandardPredicateExpression<Bool>
        where
            Root: StandardPredicateExpression<String>, Other: StandardPredicateExpression<String>
        {
            build_contains(build_KeyPath(root: root, keyPath: \.localizedStandardParts), other)
        }
    }
#else
    extension PredicateExpressions.StringLocalizedStandardContains: PredicateNode {
        static func tree<Resolver>(
            _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
        ) throws -> PredicateTree<Resolver.Property> {
            let (root, other) = node.pair
            return .localizedStandardContains(try walker.tree(root), try walker.tree(other))
        }
    }
#endif

/// The texts that occur in a text, as a range that contains them. A custom node would end the program when the predicate is
/// printed, because Foundation does not know it.
struct LocalizedStandardParts: RangeExpression, Sendable {
    let text: String

    func contains(_ part: String) -> Bool { TextSearch(part).isFound(in: text) }

    /// Never called, because no collection has strings as indices.
    func relative<Texts: Collection>(to texts: Texts) -> Range<String> where Texts.Index == String { text..<text }
}

extension String {
    var localizedStandardParts: LocalizedStandardParts { LocalizedStandardParts(text: self) }
}

/// A node whose value is a ``LocalizedStandardParts``.
protocol PredicateParts {
    /// `nil` when the node has another value.
    static func wholeText<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>?
}

extension PredicateExpressions.KeyPath: PredicateParts {
    static func wholeText<Resolver>(
        _ node: BorrowedNode, _ walker: inout PredicateWalker<Resolver>
    ) throws -> PredicateTree<Resolver.Property>? {
        node.pointer(as: Self.self).pointee.keyPath == \String.localizedStandardParts
            ? try walker.tree(node.operand) : nil
    }
}

extension PredicateWalker {
    /// `nil` for nodes without a ``LocalizedStandardParts``.
    mutating func wholeText(_ node: BorrowedNode) throws -> Tree? {
        guard let type = node.type.type as? any PredicateParts.Type else { return nil }
        func open<Parts: PredicateParts>(_ type: Parts.Type) throws -> Tree? {
            try Parts.wholeText(node, &self)
        }
        return try open(type)
    }
}
