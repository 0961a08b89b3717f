import Chronicle
import Foundation

/// What `verify` prints about the seals of a history.
struct SealReport {
    private let verification: SealVerification
    /// Such as `file`.
    private let noun: String
    private let console: Console

    init(_ verification: SealVerification, noun: String, _ console: Console) {
        (self.verification, self.noun, self.console) = (verification, noun, console)
    }

    var isProven: Bool { verification.isProven }

    /// The number of problems that are not those of the rows.
    var problemCount: Int { verification.difference == nil ? 0 : 1 }

    /// Says why the heads are not proven although nothing differs; `nil` if they are.
    var unprovenText: String? {
        guard !isProven else { return nil }
        if verification.lacksSignature { return "No seal is signed with the key, so nothing is proven." }
        let heads = verification.heads
        let unproven = heads.count { $0.outcome.exceptions == nil }
        if unproven > 0 {
            return
                "\(unproven) of \(NumberText.counted(heads.count, "head")) \(unproven == 1 ? "is" : "are") not proven."
        }
        guard verification.newest != nil else { return "The history is not sealed." }
        return "The heads are proven only if the events are genuine that none of them contains; pass a later head."
    }

    // MARK: Text

    var lines: [String] {
        var lines: [String] = []
        for head in verification.heads { lines += self.lines(head) }
        if let difference = verification.difference {
            let place = [
                difference.position.map { "position \($0)" }, difference.seal.map { "seal \($0)" },
            ].compactMap(\.self).joined(separator: ", ")
            let detail = difference.detail.escaped
            lines.append(item(difference.kind.rawValue, .red, place.isEmpty ? detail : "\(place): \(detail)"))
            let proven = verification.proven.map {
                "everything up to \($0) is what was sealed" + exceptionText(verification.exceptions)
            }
            lines.append(Self.indent + (proven ?? "nothing before it is proven"))
        }
        lines += eventLines
        lines += summaryLines
        return lines
    }

    private static let indent = String(repeating: " ", count: 11)

    private func item(_ term: String, _ style: Console.Style, _ text: String) -> String {
        let padding = String(repeating: " ", count: max(Self.indent.count - term.count, 2))
        return console.styled(term, style) + padding + text
    }

    private func lines(_ head: SealVerification.Head) -> [String] {
        let (name, text) = (head.outcome.name, head.head.description)
        func failure(_ reason: String) -> [String] { [item(name, .red, text), Self.indent + reason] }
        let newest = verification.newest?.position
        switch head.outcome {
        case .proven(let exceptions):
            let (events, proven) = (exceptions.unconfirmedEvents, text + exceptionText(exceptions))
            guard !events.isEmpty else { return [item(name, .green, proven)] }
            let numbers = events.map(String.init).joined(separator: ", ")
            return [
                item(name, .yellow, proven),
                Self.indent
                    + (events.count == 1
                        ? "if event \(numbers) is genuine, which a head from after it proves"
                        : "if events \(numbers) are genuine, which a head from after them proves"),
            ]
        case .purged:
            return [
                item(name, .yellow, text),
                Self.indent + "before the boundary of a purge; pass an export from before it with --archive",
            ]
        case .absent:
            guard let newest else { return failure("the history is not sealed") }
            return failure("the chain ends at \(newest): its end was removed, or the \(noun) is an older one")
        case .forked where newest == head.head.position:
            return failure(
                "the chain ends here with another hash: it was built again, or the \(noun) is an older or another one")
        case .forked:
            return failure("the chain has another hash here: it was built again, or the head is that of another copy")
        case .different: return failure("what was sealed is not what the \(noun) contains")
        }
    }

    /// Empty without exceptions.
    private func exceptionText(_ exceptions: SealVerification.Exceptions) -> String {
        var parts: [String] = []
        if exceptions.erasedValues > 0 { parts.append(NumberText.counted(exceptions.erasedValues, "erased value")) }
        if exceptions.deletedTransactions > 0 {
            parts.append(NumberText.counted(exceptions.deletedTransactions, "deleted transaction"))
        }
        if !exceptions.unprovenRanges.isEmpty {
            let ranges = exceptions.unprovenRanges.map(Self.text).joined(separator: ", ")
            parts.append("what was deleted unsealed at \(ranges)")
        }
        return parts.isEmpty ? "" : ", except \(parts.joined(separator: ", "))"
    }

    static func text(_ range: ClosedRange<Int64>) -> String {
        range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
    }

    /// The events that explain what is missing. Without heads, it is only the newest purge.
    private var eventLines: [String] {
        let purges = verification.boundary == nil ? [] : verification.events.filter { $0.kind == Kind.purge.rawValue }
        var events = Array(purges.suffix(1))
        if !verification.heads.isEmpty {
            let exceptions = verification.heads.compactMap(\.outcome.exceptions) + [verification.exceptions]
            let unconfirmed = Set(exceptions.flatMap(\.unconfirmedEvents))
            var kinds: Set<Kind> = verification.boundary == nil ? [] : [.purge]
            if exceptions.contains(where: { $0.erasedValues > 0 }) { kinds.insert(.erasure) }
            if exceptions.contains(where: { $0.deletedTransactions > 0 }) { kinds.insert(.deletion) }
            if exceptions.contains(where: { !$0.unprovenRanges.isEmpty }) { kinds.insert(.unproven) }
            events = verification.events.filter { event in
                unconfirmed.contains(event.number) || Kind(rawValue: event.kind).map(kinds.contains) == true
            }
        }
        return events.map { item("event \($0.number)", .cyan, SealEventText($0).text(console)) }
    }

    private typealias Kind = SealedEvent.Kind

    private var summaryLines: [String] {
        var lines: [String] = []
        if let boundary = verification.boundary {
            lines.append("The history was purged up to \(boundary).")
        }
        guard let newest = verification.newest else {
            // The heads say so.
            return verification.heads.isEmpty ? lines + ["The history has no seals."] : lines
        }
        let time = verification.newestTimestamp.map { " of \(console.text($0))" } ?? ""
        let seals = NumberText.counted(verification.sealCount, "seal")
        let exceptions = verification.heads.isEmpty ? exceptionText(verification.exceptions) : ""
        if verification.difference == nil {
            let verb = verification.sealCount == 1 ? "says" : "say"
            lines.append("The history is what its \(seals) \(verb) up to \(newest)\(time)\(exceptions).")
        } else {
            lines.append("The newest of \(seals) is \(newest)\(time).")
        }
        let (transactions, events) = (verification.unsealedTransactions, verification.unsealedEvents)
        let unsealed = [(transactions, "transaction"), (events, "event")].filter { $0.0 > 0 }
            .map { NumberText.counted($0.0, $0.1) }.joined(separator: " and ")
        if !unsealed.isEmpty {
            lines.append("\(unsealed) \(transactions + events == 1 ? "is" : "are") not sealed yet.")
        }
        return lines
    }

    // MARK: JSON

    /// An object for each head, and one for the chain.
    var json: [JSON] { verification.heads.map(json) + [chain] }

    private func json(_ head: SealVerification.Head) -> JSON {
        .members([
            "head": .string(head.head.description), "outcome": .string(head.outcome.name),
            "exceptions": head.outcome.exceptions.map(json),
        ])
    }

    private func json(_ exceptions: SealVerification.Exceptions) -> JSON {
        .members([
            "erasedValues": .count(exceptions.erasedValues),
            "deletedTransactions": .count(exceptions.deletedTransactions),
            "unprovenRanges": .array(
                exceptions.unprovenRanges.map { .array([.integer($0.lowerBound), .integer($0.upperBound)]) }),
            "unconfirmedEvents": .array(exceptions.unconfirmedEvents.map(JSON.integer)),
        ])
    }

    private var chain: JSON {
        let difference = verification.difference.map { difference in
            JSON.members([
                "kind": .string(difference.kind.rawValue), "position": difference.position.map(JSON.integer) ?? .null,
                "seal": difference.seal.map(JSON.integer) ?? .null, "detail": .string(difference.detail),
            ])
        }
        return .members([
            "isProven": .bool(isProven), "lacksSignature": .bool(verification.lacksSignature),
            "seals": .count(verification.sealCount),
            "newest": .optional(verification.newest?.description),
            "date": .optional(verification.newestTimestamp.map(DateText.iso8601)),
            "boundary": .optional(verification.boundary?.description), "difference": difference ?? .null,
            "proven": .optional(verification.proven?.description), "exceptions": json(verification.exceptions),
            "unsealedTransactions": .count(verification.unsealedTransactions),
            "unsealedEvents": .count(verification.unsealedEvents),
            "events": .array(verification.events.map { SealEventText($0).json }),
        ])
    }
}
