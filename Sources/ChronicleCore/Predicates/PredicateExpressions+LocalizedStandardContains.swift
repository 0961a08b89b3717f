public import Foundation

#if !canImport(Darwin)
    extension PredicateExpressions {
        /// What `#Predicate` makes of `text.localizedStandardContains(part)`, for which the Foundation of other systems than
        /// Apple's has no node.
        ///
        /// True when `part` occurs in `text`, of whatever case and with whatever diacritics: `"Café"` contains `"CAFE"`. The
        /// rules are Unicode's and not those of a locale, so that all processes find the same. Nothing contains the empty
        /// text.
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

/// All texts that are found in a text, as a range that contains them.
///
/// It is made of Foundation's nodes, and not a node of its own, because a predicate with nodes that Foundation does not know
/// ends the program when it is printed.
struct LocalizedStandardParts: RangeExpression, Sendable {
    let text: String

    func contains(_ part: String) -> Bool { TextSearch(part).isFound(in: text) }

    /// Nobody asks for it: no collection has texts as its indices.
    func relative<Texts: Collection>(to texts: Texts) -> Range<String> where Texts.Index == String { text..<text }
}

extension String {
    var localizedStandardParts: LocalizedStandardParts { LocalizedStandardParts(text: self) }
}

/// A node whose value are the parts of a text.
protocol PredicateParts {
    /// The text; `nil` when the node leads to something else.
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
    /// The text whose parts a node is; `nil` for something else.
    mutating func wholeText(_ node: BorrowedNode) throws -> Tree? {
        guard let type = node.type.type as? any PredicateParts.Type else { return nil }
        func open<Parts: PredicateParts>(_ type: Parts.Type) throws -> Tree? {
            try Parts.wholeText(node, &self)
        }
        return try open(type)
    }
}
