public import Chronicle
import Foundation

extension StoreRule {
    /// Rules about saves after a crash.
    ///
    /// A process is repeatedly killed with SIGKILL while it saves. Every acknowledged save is present, and no save is
    /// partially present. These rules require a store that outlives a process, and a ``StoreFixture/worker``.
    public static var kills: [StoreRule] { [acknowledgedSaves, atomicAfterKills] }

    static var acknowledgedSaves: StoreRule {
        StoreRule("after a crash, every acknowledged save is present", needs: .reopening, capabilities: [.killing]) {
            harness in
            let killed = try CrashedStore(harness)
            try killed.kill(afterSaves: [1, 6, 3, 4, 2, 5]) { found in
                let last = try NumberedSaves.last(in: found.context())
                try expect(
                    last >= killed.acknowledged,
                    "save \(killed.acknowledged) to be present, found \(last) as the last save")
                try expect(
                    last <= killed.acknowledged + 1,
                    "no save after \(killed.acknowledged + 1), found \(last) as the last save")
            }
        }
    }

    static var atomicAfterKills: StoreRule {
        StoreRule("after a crash, no save is partially present", needs: .reopening, capabilities: [.killing]) {
            harness in
            let killed = try CrashedStore(harness)
            try killed.kill(afterSaves: [0, 5, 2, 7, 3, 1]) { found in
                let last = try NumberedSaves.last(in: found.context())
                try expect(
                    NumberedSaves.state(in: found.context()), is: killed.saves.state(after: last),
                    "the models after save \(last)")
            }
        }
    }
}

extension StoreRule where Store: HistoryProviding {
    /// Rules about the history after a crash: it agrees with the models, earlier tokens are valid, and no position is
    /// reused.
    public static var historyKills: [StoreRule] { [historyAfterKills, tokensAfterKills] }

    static var historyAfterKills: StoreRule {
        StoreRule("after a crash, the history agrees with the models", needs: .reopening, capabilities: [.killing]) {
            harness in
            let killed = try CrashedStore(harness)
            try killed.kill(afterSaves: [0, 4, 6, 2, 3, 5]) { found in
                let (context, transactions) = (found.context(), try found.history())
                let last = try NumberedSaves.last(in: context)
                try expect(transactions.count, is: last, "the number of transactions of \(last) saves")
                for (index, transaction) in transactions.enumerated() {
                    try expect(
                        counts(transaction, harness.features), is: killed.saves.changes(of: index + 1),
                        "the inserts, updates and deletes of save \(index + 1)")
                }
                let books = try context.books().map(\.persistentModelID)
                let shelves = try context.fetch(FetchDescriptor<Shelf>()).map(\.persistentModelID)
                try expect(
                    try models(transactions), is: Set(books + shelves), "the models according to the history")
            }
        }
    }

    static var tokensAfterKills: StoreRule {
        StoreRule(
            "after a crash, earlier tokens are valid and no history position is reused", needs: .reopening,
            capabilities: [.killing]
        ) { harness in
            let killed = try CrashedStore(harness)
            try killed.kill(afterSaves: [0, 3, 7, 1, 4, 2]) { found in
                let last = try NumberedSaves.last(in: found.context())
                if last > 0 {
                    let current = try require(found.store.currentHistoryToken(), "a current token after a save")
                    try killed.note(JSONEncoder().encode(current), of: last)
                }
                let tokens = try killed.tokens.sorted { $0.key < $1.key }.map { number, json in
                    (number, try JSONDecoder().decode(Token.self, from: json))
                }
                for (one, next) in zip(tokens, tokens.dropFirst()) {
                    try expect(
                        one.1 < next.1, "the token of save \(next.0) to be greater than that of save \(one.0)")
                }
                for (number, token) in tokens {
                    let rest = try found.history(.after(token))
                    try expect(rest.count, is: last - number, "the number of transactions after save \(number)")
                    for (index, transaction) in rest.enumerated() {
                        let known = tokens.first { $0.0 == number + 1 + index }?.1 ?? transaction.token
                        try expect(transaction.token, is: known, "the token of save \(number + 1 + index)")
                    }
                }
            }
        }
    }

    private static func counts(_ transaction: Store.HistoryType, _ features: StoreFeatures) -> [Int] {
        var counts = [0, 0, 0]
        for change in transaction.changes {
            switch change {
            case .insert: counts[0] += 1
            case .update: counts[1] += features.contains(.updateHistory) ? 1 : 0
            case .delete: counts[2] += 1
            }
        }
        return counts
    }

    private static func models(_ transactions: [Store.HistoryType]) throws -> Set<PersistentIdentifier> {
        var models = Set<PersistentIdentifier>()
        for change in transactions.flatMap(\.changes) {
            let identifier = change.changedPersistentIdentifier
            switch change {
            case .insert: try expect(models.insert(identifier).inserted, "\(identifier) to be inserted once")
            case .update: try expect(models.contains(identifier), "\(identifier) to exist when it is updated")
            case .delete:
                try expect(models.remove(identifier) != nil, "\(identifier) to exist when it is deleted")
            }
        }
        return models
    }
}
