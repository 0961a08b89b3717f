public import Chronicle

extension StoreRule where Store: HistoryProviding {
    /// Rules about a history that was replaced by a backup, or disabled for a while: tokens from which reading cannot
    /// continue without gaps throw `SwiftDataError.historyTokenExpired` or an error of its family. All others stay valid.
    public static var recovery: [StoreRule] { [ahead, forked, gap] }

    static var ahead: StoreRule {
        StoreRule(
            "reading on from a token ahead of the store throws", needs: .reopening,
            capabilities: [.copying]
        ) { harness in
            let restored = try restoredBackup(harness)
            try harness.opening(restored.backup) { backup in
                try expectRecoveryError(restored, in: backup, "a token ahead of the store")
                let read = try backup.titles(backup.history(.after(restored.valid)))
                try expect(read, is: ["b"], "the transactions after a valid token")
            }
        }
    }

    static var forked: StoreRule {
        StoreRule(
            "reading on from a token of a replaced history throws", needs: [.reopening, .forks],
            capabilities: [.copying]
        ) { harness in
            let restored = try restoredBackup(harness)
            try harness.opening(restored.backup) { backup in
                // First as many transactions as were lost, then one more.
                for titles in [["c", "d"], ["e"]] {
                    for title in titles { try backup.write(title) }
                    try expectRecoveryError(restored, in: backup, "a token of the replaced history")
                }
                let read = try backup.titles(backup.history(.after(restored.valid)))
                try expect(read, is: ["b", "c", "d", "e"], "the transactions after a valid token")
            }
        }
    }

    static var gap: StoreRule {
        StoreRule(
            "reading on from a token before unrecorded changes throws", needs: .reopening,
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
                try expect(harness.titles(harness.history(.after(after))), is: ["c"], "the transactions after the gap")
                try expect(.historyTokenExpired, of: "reading on from before the gap, after other saves") {
                    try harness.history(.after(before))
                }
                try expect(
                    harness.context().books().map(\.title), is: ["a", "unrecorded", "b", "c"], "the books")
            }
        }
    }

    // MARK: Backups

    /// A backup, a token from before it was made, and the tokens of two saves that are not in it.
    private struct RestoredBackup {
        let backup: Store.Configuration
        let valid: Token
        let lost: [Token]
    }

    private static func restoredBackup(_ harness: StoreHarness<Store>) throws -> RestoredBackup {
        let configuration = try harness.newConfiguration()
        let valid = try harness.opening(configuration) { try $0.write("a", "b")[0].token }
        let backup = try harness.copy(configuration)
        let lost = try harness.opening(configuration) { try $0.write("lost", "lost, too").map(\.token) }
        try expect(lost.count, is: 2, "the number of transactions of two saves")
        return RestoredBackup(backup: backup, valid: valid, lost: lost)
    }

    private static func expectRecoveryError(_ restored: RestoredBackup, in backup: StoreHarness<Store>, _ what: String)
        throws
    {
        for token in restored.lost {
            try expect(.historyTokenExpired, of: "reading on from \(what)") { try backup.history(.after(token)) }
        }
    }
}
