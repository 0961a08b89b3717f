import Chronicle
import Foundation

enum PurgeCommand {
    static let command = Command(
        name: "purge", summary: "delete old history (changes the file)",
        discussion: """
            Deletes the oldest transactions beyond a limit, in steps that other writers hardly notice. Transactions that a \
            consumer has not acknowledged are kept, unless the consumer was silent for longer than --max-silence. Models are \
            not changed. --erase-values erases the values before and after older changes of an entity or an attribute, and keeps \
            the changes; unused parts of the file can contain copies until VACUUM. Its names can be in double quotes, which \
            distinguishes them if they contain periods. At least one limit or rule is required. \
            --dry-run does not count changes of other programs that no save has \
            grouped yet.
            """,
        options: [
            .init(name: "max-age", value: "AGE", summary: "delete transactions older than an age, such as 30d or 12h"),
            .init(name: "max-changes", value: "N", summary: "keep at most N changes"),
            .init(name: "max-bytes", value: "N", summary: "keep at most N bytes"),
            .init(
                name: "erase-values", value: "RULE",
                summary: "erase values by age, such as Customer.email=30d or Position=7d; repeat it for other rules"),
            .init(name: "max-silence", value: "AGE", summary: "do not wait for consumers that were silent for longer"),
            .init(name: "dry-run", summary: "show what would be deleted, and change nothing"),
            .init(name: "compact", summary: "rebuild the file afterwards, which returns its free space"), .json,
        ], run: run)

    private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitStatus {
        let rules = try ValueRules(arguments.values["erase-values"] ?? [])
        let limits = HistoryRetention(
            maximumAge: try age("max-age", arguments), maximumChanges: try arguments.count("max-changes"),
            maximumBytes: try arguments.count("max-bytes"), maximumSilence: try age("max-silence", arguments))
        guard limits.hasLimit || !rules.isEmpty else {
            throw UsageError("purge requires --max-age, --max-changes, --max-bytes or --erase-values")
        }
        if arguments.has("dry-run") { return try plan(limits, rules, arguments, console) }
        let file = try StoreFile.write(arguments.operands["FILE"], console)
        // Before anything is deleted.
        if arguments.has("compact") { try file.chronicleStore("a purge").requireVacuum() }
        let retention = try limits.with(rules, in: file)
        let progress = Progress(console)
        let plan = try file.chronicleStore("a purge").planHistoryPurge(retention, at: console.settings.now())
        var result = HistoryPurgeResult(file.store.identifier, plan)
        // The steps are repeated until the last one, as in `ModelContainer.purgeHistory`.
        try await HistoryPurgeStep.run {
            let step = try file.chronicleStore("a purge").purgeHistory(plan)
            result.add(step)
            let values = rules.isEmpty ? "" : ", \(NumberText.grouped(result.values)) values erased"
            progress.show("\(NumberText.grouped(result.changes)) changes deleted\(values)")
            return step
        }
        progress.finish()
        if arguments.has("compact") { try file.chronicleStore("a purge").compact() }
        if arguments.has("json") {
            try console.line(
                .members([
                    "transactions": .count(result.transactions), "changes": .count(result.changes),
                    "values": rules.isEmpty ? nil : .count(result.values),
                    "returnedBytes": .count(result.returnedBytes), "keptFor": .array(result.keptFor.map(JSON.string)),
                    "evicted": .array(result.evicted.map(JSON.string)),
                ]))
            return .success
        }
        try console.line(
            "Deleted \(NumberText.counted(result.transactions, "transaction")) with "
                + "\(NumberText.counted(result.changes, "change")).")
        if !rules.isEmpty { try console.line("Erased \(NumberText.counted(result.values, "preserved value")).") }
        try writeConsumers(result.keptFor, result.evicted, console)
        return .success
    }

    private static func plan(
        _ limits: HistoryRetention, _ rules: ValueRules, _ arguments: Arguments, _ console: Console
    ) throws -> ExitStatus {
        let file = try StoreFile.read(arguments, console)
        if arguments.has("compact") { try file.chronicleStore("a purge").requireVacuum() }
        let retention = try limits.with(rules, in: file)
        let plan = try file.chronicleStore("a purge").planHistoryPurge(retention, at: console.settings.now())
        let erasures = try erasures(retention.valueRules, plan, file)
        var count = 0
        if let newest = plan.newest { count = try file.store.fetchHistoryCount(.before(newest)) }
        if arguments.has("json") {
            try console.line(
                .members([
                    "transactions": .count(count),
                    "through": .optional(plan.newest.map { $0.text(in: file.store.identifier) }),
                    "values": rules.isEmpty ? nil : .array(erasures.map(\.json)),
                    "keptFor": .array(plan.keptFor.map(JSON.string)),
                    "evicted": .array(plan.evicted.map(JSON.string)),
                ]))
            return .success
        }
        let through = plan.newest.map { ", up to \($0.text(in: file.store.identifier))" } ?? ""
        try console.line("Would delete \(NumberText.counted(count, "transaction"))\(through).")
        for erasure in erasures {
            let through = erasure.through.map { ", up to \($0)" } ?? ""
            try console.line(
                "Would erase \(NumberText.counted(erasure.count, "preserved value")) of "
                    + "\(erasure.rule.text.escaped)\(through).")
        }
        try writeConsumers(plan.keptFor, plan.evicted, console)
        return .success
    }

    /// What a rule would erase.
    private struct Erasure {
        let rule: PreservedValueRule
        var count = 0
        var through: String?

        var json: JSON {
            .members([
                "entity": .string(rule.entityName), "attribute": .optional(rule.attributeName),
                "seconds": .integer(rule.maximumAge.components.seconds), "count": .count(count),
                "through": .optional(through),
            ])
        }
    }

    private static func erasures(
        _ rules: [PreservedValueRule], _ plan: HistoryPurgePlan<DefaultHistoryToken>, _ file: StoreFile
    ) throws -> [Erasure] {
        let counts = try file.chronicleStore("a purge").preservedValueCounts(plan)
        return rules.map { rule in
            guard let index = plan.erasures.firstIndex(where: { $0.rule == rule }) else { return Erasure(rule: rule) }
            return Erasure(
                rule: rule, count: counts[index],
                through: plan.erasures[index].newest.text(in: file.store.identifier))
        }
    }

    private static func writeConsumers(_ kept: [String], _ evicted: [String], _ console: Console) throws {
        if !kept.isEmpty {
            try console.line("Kept transactions for consumers: \(kept.joined(separator: ", ").escaped)")
        }
        if !evicted.isEmpty {
            try console.line("Did not wait for silent consumers: \(evicted.joined(separator: ", ").escaped)")
        }
    }

    private static func age(_ name: String, _ arguments: Arguments) throws -> Duration? {
        guard let text = arguments.value(name) else { return nil }
        guard let seconds = Position.seconds(text) else {
            throw UsageError("\(text.escaped) is not an age; write a number with s, m, h, d or w, such as 30d")
        }
        return .seconds(seconds)
    }
}

extension HistoryRetention {
    fileprivate func with(_ rules: ValueRules, in file: StoreFile) throws -> HistoryRetention {
        var retention = self
        retention.valueRules = try rules.rules(in: file.chronicleStore("a purge"))
        return retention
    }
}
