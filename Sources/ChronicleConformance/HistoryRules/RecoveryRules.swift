public import Chronicle

extension StoreRule where Store: HistoryProviding {
    /// A past that was taken back, and one that was not recorded: a token from there cannot be continued from exactly, which
    /// is an error of the family `historyTokenExpired` and never an answer. Tokens that nothing happened to stay good.
    public static var recovery: [StoreRule] { [ahead, forked, gap] }

    static var ahead: StoreRule {
        StoreRule(
            "a token that the store has not come to is an error, not an answer", needs: .reopening,
            capabilities: [.copying]
        ) { harness in
            let past = try takenBackPast(harness)
            try harness.opening(past.backup) { backup in
                try expectLost(past, in: backup, "a token that the store has not come to")
                try expect(backup.titles(backup.history(.after(past.kept))), is: ["b"], "what comes after a good token")
            }
        }
    }

    static var forked: StoreRule {
        StoreRule(
            "a token of a past that was replaced by another is an error, not an answer", needs: [.reopening, .forks],
            capabilities: [.copying]
        ) { harness in
            let past = try takenBackPast(harness)
            try harness.opening(past.backup) { backup in
                // As many as were lost, and then more.
                for titles in [["c", "d"], ["e"]] {
                    for title in titles { try backup.write(title) }
                    try expectLost(past, in: backup, "a token of the past that was taken back")
                }
                let read = try backup.titles(backup.history(.after(past.kept)))
                try expect(read, is: ["b", "c", "d", "e"], "what comes after a good token")
            }
        }
    }

    static var gap: StoreRule {
        StoreRule(
            "a token from before changes that were not recorded is an error, not an answer", needs: .reopening,
            capabilities: [.switchingHistory]
        ) { harness in
            let on = try harness.recording(harness.newConfiguration(), true)
            let before = try harness.opening(on) { try require($0.write("a").last, "a transaction for a save").token }
            try harness.opening(harness.recording(on, false)) { _ = try $0.context().add("unrecorded") }
            try harness.opening(on) { harness in
                try expect(.historyTokenExpired, of: "reading on from before the gap") {
                    try harness.history(.after(before))
                }
                let after = try require(harness.write("b", "c").first, "a transaction for a save").token
                try expect(harness.titles(harness.history(.after(after))), is: ["c"], "what comes after the gap")
                try expect(.historyTokenExpired, of: "reading on from before the gap, after other saves") {
                    try harness.history(.after(before))
                }
                try expect(
                    harness.context().books().map(\.title), is: ["a", "unrecorded", "b", "c"],
                    "the books, recorded or not")
            }
        }
    }

    // MARK: Parts

    /// A backup, a token that it knows, and two that were given after it was made.
    private struct TakenBack {
        let backup: Store.Configuration
        let kept: Token
        let lost: [Token]
    }

    private static func takenBackPast(_ harness: StoreHarness<Store>) throws -> TakenBack {
        let configuration = try harness.newConfiguration()
        let kept = try harness.opening(configuration) { try $0.write("a", "b")[0].token }
        let backup = try harness.copy(configuration)
        let lost = try harness.opening(configuration) { try $0.write("lost", "lost, too").map(\.token) }
        try expect(lost.count, is: 2, "the number of transactions of two saves")
        return TakenBack(backup: backup, kept: kept, lost: lost)
    }

    private static func expectLost(_ past: TakenBack, in backup: StoreHarness<Store>, _ what: String) throws {
        for token in past.lost {
            try expect(.historyTokenExpired, of: "reading on from \(what)") { try backup.history(.after(token)) }
        }
    }
}
