import Chronicle
import Foundation

/// What happened to a sealed history, for people and as JSON.
struct SealEventText {
    private let event: SealVerification.Event

    init(_ event: SealVerification.Event) { self.event = event }

    /// Returns a line such as `2026-03-01 14:05:09 +0100, anna, Cleanup (4711): purged 12 transactions …`.
    func text(_ console: Console) -> String {
        let process = event.process.map { " (\($0.escaped))" } ?? ""
        let program = event.program.map { $0.escaped + process }
        let source = [console.text(event.timestamp), event.author?.escaped, program].compactMap(\.self)
        let seal = event.seal.map { ", in seal \($0)" } ?? ", not sealed yet"
        return "\(source.joined(separator: ", ")): \(action)\(seal)"
    }

    private var action: String {
        switch SealedEvent.Kind(rawValue: event.kind) {
        case .purge:
            guard let detail = detail(PurgeDetail.self) else { return unknown }
            return "purged \(NumberText.counted(detail.transactions, "transaction")) through \(detail.through)"
                + Self.text(detail.reason)
        case .unproven:
            guard let detail = detail(UnprovenDetail.self) else { return unknown }
            let ranges = detail.ranges.compactMap { range -> String? in
                guard let first = range.first, let last = range.last, first <= last else { return nil }
                return SealReport.text(first...last)
            }
            return "deleted \(NumberText.counted(detail.transactions, "unsealed transaction")), at "
                + ranges.joined(separator: ", ") + (detail.reason.map(Self.text) ?? "")
        case .deletion:
            guard let detail = detail(DeletionDetail.self) else { return unknown }
            return "deleted \(NumberText.counted(detail.transactions, "transaction"))"
        case .erasure:
            guard let detail = detail(ErasureDetail.self) else { return unknown }
            let rule = detail.maximumAge.map { " by a rule for values older than \(NumberText.duration($0))" } ?? ""
            return "erased \(NumberText.counted(detail.values, "value"))\(rule)"
        case .begun: return "began to seal the history"
        case .emptied: return "removed erased values from unused parts of the file"
        case .names: return "changed the names of entities or attributes"
        case .ended: return "ended sealing"
        case nil: return unknown
        }
    }

    private var unknown: String { "\(event.kind.escaped) \(event.detail.escaped)" }

    private static func text(_ reason: PurgeReason) -> String {
        var limits: [String] = []
        if let age = reason.maximumAge { limits.append("older than \(NumberText.duration(age))") }
        if let count = reason.maximumChanges { limits.append("more than \(NumberText.counted(count, "change"))") }
        if let count = reason.maximumBytes { limits.append("more than \(NumberText.bytes(Int64(count)))") }
        let name =
            switch reason.kind {
            case .retention: "the configured limits"
            case .call: "the limits of a call"
            case .erase: "the deletion of all models"
            }
        return " because of \(name)" + (limits.isEmpty ? "" : " (\(limits.joined(separator: ", ")))")
    }

    /// `nil` if this version does not know it. Its text is printed then.
    private func detail<Detail: Decodable>(_ type: Detail.Type) -> Detail? {
        SealedEvent.decoded(event.detail.utf8, as: type)
    }

    var json: JSON {
        .members([
            "number": .integer(event.number), "kind": .string(event.kind),
            "date": .string(DateText.iso8601(event.timestamp)), "author": .optional(event.author),
            "program": .optional(event.program), "process": .optional(event.process),
            "detail": detail(JSON.self) ?? .string(event.detail), "seal": event.seal.map(JSON.integer) ?? .null,
        ])
    }
}
