import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Predicates on the metadata of transactions: the tree for stores, and the matches in memory.
@Suite("Predicates on metadata")
struct MetadataPredicateTests {
    private typealias Tree = PredicateTree<HistoryProperty>
    private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

    private static let metadata: [[String: String]] = [
        [:], ["reason": "import"], ["reason": ""], ["request": "import"], ["reason": "re-import", "request": "7"],
    ]

    private let transactions = metadata.enumerated().map { index, metadata in
        DefaultHistoryTransaction(
            transactionIdentifier: Int64(index), storeIdentifier: "S",
            token: DefaultHistoryToken(storeIdentifier: "S", position: Int64(index)), timestamp: .now,
            author: index == 3 ? "request" : nil, contextName: nil, bundleIdentifier: "", processIdentifier: "",
            metadata: metadata, changes: [])
    }

    private let reason = Tree.value("reason")

    /// Expects the tree, and that the same transactions match in memory as in the closure.
    private func expect(
        _ predicate: Predicate<DefaultHistoryTransaction>, _ tree: Tree, _ matching: [Int64],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try PredicateTree(predicate) == tree, sourceLocation: location)
        let found = try Descriptor(predicate: predicate).apply(to: transactions).map(\.id)
        #expect(found == matching, sourceLocation: location)
    }

    /// The tree has no lists of tokens, so Foundation evaluates the predicate.
    @Test func listsOfTokens() throws {
        let tokens = [transactions[1].token, transactions[3].token]
        let found = try Descriptor(predicate: #Predicate { tokens.contains($0.token) }).apply(to: transactions)
        #expect(found.map(\.id) == [1, 3])
        let others = try Descriptor(predicate: #Predicate { !tokens.contains($0.token) }).apply(to: transactions)
        #expect(others.map(\.id) == [0, 2, 4])
    }

    @Test("Equality")
    func equality() throws {
        let (key, value, none) = ("request", "7", String?.none)
        try expect(#Predicate { $0.metadata["reason"] == "import" }, .equal(reason, .text("import")), [1])
        try expect(#Predicate { "import" == $0.metadata["reason"] }, .equal(.text("import"), reason), [1])
        try expect(#Predicate { $0.metadata["reason"] == "" }, .equal(reason, .text("")), [2])
        try expect(
            #Predicate { $0.metadata["reason"] != "import" }, .not(.equal(reason, .text("import"))), [0, 2, 3, 4])
        try expect(#Predicate { $0.metadata["reason"] == nil }, .equal(reason, .constant(.null)), [0, 3])
        try expect(#Predicate { $0.metadata["reason"] == none }, .equal(reason, .constant(.null)), [0, 3])
        try expect(#Predicate { $0.metadata["reason"] != nil }, .not(.equal(reason, .constant(.null))), [1, 2, 4])
        try expect(#Predicate { $0.metadata[key] == value }, .equal(.value("request"), .text("7")), [4])
    }

    @Test("Several keys and properties")
    func combinations() throws {
        let token = transactions[1].token
        try expect(
            #Predicate { $0.token > token && $0.metadata["reason"] != nil },
            .and(
                .compare(.path(.subject(.token)), .greater, .foreign(token)),
                .not(.equal(reason, .constant(.null)))), [2, 4])
        try expect(
            #Predicate { $0.metadata["reason"] == $0.metadata["request"] }, .equal(reason, .value("request")), [0])
        let values = #Predicate<DefaultHistoryTransaction> {
            $0.metadata["reason"] == nil && $0.metadata["request"] == "import"
        }
        try expect(
            values, .and(.equal(reason, .constant(.null)), .equal(.value("request"), .text("import"))), [3])
        let bounds = try HistoryTokenBounds(
            Descriptor(predicate: #Predicate { $0.token > token && $0.metadata["reason"] == "import" }))
        #expect(bounds.lower.map(\.token) == [token] && bounds.lower[0].isRequired)
    }

    @Test("Text")
    func text() throws {
        try expect(
            #Predicate { $0.metadata["reason"]?.contains("import") == true },
            .equal(.ifPresent(reason, then: .contains(reason, .text("import"))), .constant(.integer(1))), [1, 4])
        try expect(
            #Predicate { $0.metadata["reason"]?.starts(with: "re") ?? false },
            .coalesce(.ifPresent(reason, then: .starts(reason, with: .text("re"))), .constant(.integer(0))), [4])
        try expect(
            #Predicate { $0.metadata["reason"]?.count == 6 },
            .equal(.ifPresent(reason, then: .characterCount(reason)), .constant(.integer(6))), [1])
    }

    @Test("Default values and lists")
    func values() throws {
        let reasons = ["import", nil]
        try expect(
            #Predicate { $0.metadata["reason", default: "import"] == "import" },
            .equal(.coalesce(reason, .text("import")), .text("import")), [0, 1, 3])
        try expect(
            #Predicate { ($0.metadata["reason"] ?? "import") == "import" },
            .equal(.coalesce(reason, .text("import")), .text("import")), [0, 1, 3])
        try expect(
            #Predicate { reasons.contains($0.metadata["reason"]) },
            .isOneOf(reason, [.text("import"), .null]), [0, 1, 3])
    }

    @Test("Unsupported uses name the node")
    func unsupported() throws {
        let names = ["request": "reason"]
        func expect(
            _ detail: String, _ predicate: Predicate<DefaultHistoryTransaction>,
            _ location: SourceLocation = #_sourceLocation
        ) {
            let error = #expect(throws: SwiftDataError.self, sourceLocation: location) { try PredicateTree(predicate) }
            #expect(error == .unsupportedPredicate, sourceLocation: location)
            #expect(error?.detail?.contains(detail) == true, "\(error?.detail ?? "-")", sourceLocation: location)
        }
        // The key depends on the transaction.
        let constantKey = "with a key that is not a constant"
        expect("DictionaryKeySubscript \(constantKey)", #Predicate { $0.metadata[$0.storeIdentifier] == "x" })
        expect(
            "DictionaryKeyDefaultValueSubscript \(constantKey)",
            #Predicate { $0.metadata[$0.storeIdentifier, default: ""] == "x" })
        // A captured dictionary.
        expect("DictionaryKeySubscript", #Predicate { names[$0.storeIdentifier] == $0.author })
        expect("Dictionary", #Predicate { $0.metadata.isEmpty })
        expect("Dictionary", #Predicate { $0.metadata.count == 1 })
        expect("metadata without a key", #Predicate { $0.metadata == names })
        expect("metadata without a key", #Predicate { $0.metadata.contains { $0.key == "reason" } })
    }

    @Test("Names and order")
    func property() {
        #expect(HistoryProperty.metadata(key: "reason").name == "metadata")
        #expect(HistoryProperty.metadata(key: "reason") != .metadata(key: "request"))
        #expect(!HistoryProperty.metadata(key: "reason").isOrdered && !HistoryProperty.metadata(key: "").isToMany)
        #expect(HistoryProperty(\DefaultHistoryTransaction.metadata) == nil)
    }
}

extension PredicateTree<HistoryProperty>.Path {
    fileprivate static func subject(_ property: HistoryProperty) -> Self {
        Self(variable: .subject, properties: [property])
    }
}

extension PredicateTree<HistoryProperty> {
    fileprivate static func value(_ key: String) -> Self { .path(.subject(.metadata(key: key))) }

    fileprivate static func text(_ text: String) -> Self { .constant(.text(text)) }
}
