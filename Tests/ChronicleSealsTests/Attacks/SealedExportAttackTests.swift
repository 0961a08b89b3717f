#if Seals
    import Chronicle
    import ChronicleCore
    import ChronicleSeals
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// What the verification of a changed sealed export reports.
    @Suite struct SealedExportAttackTests {
        struct Attack: Sendable, CustomTestStringConvertible {
            typealias Stage = SealedVictim.Stage

            let name: String
            let kinds: Set<SealVerification.Difference.Kind>
            let transaction: String?
            let stage: Stage?
            let attack: @Sendable (inout SealedExportLines, SealedVictim) throws -> Void

            init(
                _ name: String, _ kinds: Set<SealVerification.Difference.Kind>, in transaction: String? = nil,
                of stage: Stage? = nil,
                _ attack: @escaping @Sendable (inout SealedExportLines, SealedVictim) throws -> Void
            ) {
                (self.name, self.kinds, self.transaction, self.stage, self.attack) = (
                    name, kinds, transaction, stage, attack
                )
            }

            var testDescription: String { name }

            static func inTransaction(
                _ name: String, _ kinds: Set<SealVerification.Difference.Kind>, _ transaction: String, _ stage: Stage,
                change: Int = 0, _ keys: String..., value: (any Sendable)?
            ) -> Attack {
                Attack(name, kinds, in: transaction, of: stage) { export, victim in
                    try export.change(export.transaction(victim.header(transaction)) + change, keys, to: value)
                }
            }

            static func inSeal(
                _ name: String, _ kinds: Set<SealVerification.Difference.Kind>, _ stage: Stage, _ key: String,
                value: (any Sendable)?
            ) -> Attack {
                Attack(name, kinds, of: stage) { export, victim in
                    try export.change(export.seal(victim.number(of: stage)), [key], to: value)
                }
            }

            /// Another hash.
            private static let hash = String(repeating: "A", count: 43)

            static let all = [
                inTransaction(
                    "a value is replaced", [.value], "update b", .updates, change: 1, "slots", "1", "value", "after",
                    value: "forged"),
                inTransaction(
                    "the value before a change is replaced", [.value], "update b", .updates, change: 1, "slots", "0",
                    "value",
                    "before", value: "forged"),
                inTransaction(
                    "a value is missing", [.value, .erased], "update b", .updates, change: 1, "slots", "0", "value",
                    value: nil),
                inTransaction(
                    "a key is missing", [.erased], "update b", .updates, change: 1, "slots", "0", "commitment", "key",
                    value: nil),
                inTransaction(
                    "a key is another", [.value], "update b", .updates, change: 1, "slots", "0", "commitment", "key",
                    value: hash),
                inTransaction(
                    "a commitment is another", [.content, .value], "update b", .updates, change: 1, "slots", "0",
                    "commitment",
                    "hash", value: hash),
                inTransaction(
                    "a change is of another kind", [.content], "insert d", .deletion, change: 1, "kind", value: "delete"
                ),
                inTransaction(
                    "a change is of another model", [.content], "update b", .updates, change: 1, "primaryKey", value: 77
                ),
                inTransaction(
                    "the attributes of an update are others", [.content], "update b", .updates, change: 1, "attributes",
                    value: [0, 1, 2]),
                inTransaction(
                    "the author is another", [.description], "update b", .updates, "description", "author",
                    value: "mallory"),
                inTransaction(
                    "the author is removed", [.description], "update b", .updates, "description", "author", value: nil),
                inTransaction(
                    "the time is another", [.description], "update b", .updates, "description", "time", value: "1.5"),
                inTransaction(
                    "the program is another", [.description], "update b", .updates, "description", "program",
                    value: "forged"),
                inTransaction(
                    "metadata is removed", [.description], "correction", .updates, "description", "metadata", value: nil
                ),
                inTransaction(
                    "a description is removed", [.description, .content, .erased], "update b", .updates, "description",
                    value: nil),
                inTransaction("a check value is another", [.content], "update b", .updates, "checkValue", value: 7),
                inTransaction(
                    "a transaction is one of another program", [.content, .description], "update b", .updates, "kind",
                    value: "external"),
                Attack("a transaction is removed", [.removed], in: "update b", of: .updates) { export, victim in
                    export.lines.removeSubrange(try export.range(victim.header("update b")))
                },
                Attack("a transaction is inserted", [.inserted, .content, .reordered], in: "temp", of: .updates) {
                    export, victim in
                    let range = try export.range(victim.header("update b"))
                    var lines = Array(export.lines[range])
                    let rows = try victim.rows("temp")
                    lines = Array(lines.prefix(1))
                    lines[0].content["position"] = rows.upperBound
                    lines[0].content["first"] = rows.upperBound
                    export.lines.insert(contentsOf: lines, at: range.upperBound)
                },
                Attack("two transactions are exchanged", [.reordered], in: "update a", of: .updates) { export, victim in
                    let (first, second) = (
                        try export.range(victim.header("update a")), try export.range(victim.header("update b"))
                    )
                    let distance = try victim.header("update b") - victim.header("update a")
                    func moved(_ range: Range<Int>, by distance: Int64) -> [SealedExportLines.Line] {
                        export.lines[range].map { line in
                            var line = line
                            for key in ["position", "first"] {
                                if let position = line.content[key] as? Int64 {
                                    line.content[key] = position + distance
                                }
                            }
                            if let slots = line.content["slots"] as? [SealedExportLines.Object] {
                                line.content["slots"] = slots.map { slot in
                                    var slot = slot
                                    slot["row"] = (slot["row"] as? [Int64])?.map { $0 + distance }
                                    return slot
                                }
                            }
                            return line
                        }
                    }
                    let exchanged = moved(second, by: -distance) + moved(first, by: distance)
                    export.lines.replaceSubrange(first.lowerBound..<second.upperBound, with: exchanged)
                },
                inSeal("the hash of a seal is another", [.seal], .foreign, "hash", value: hash),
                inSeal("the check value of a seal is another", [.seal], .foreign, "lastCheck", value: 7),
                inSeal("the time of a seal is another", [.seal], .foreign, "time", value: "1.5"),
                inSeal("the previous hash is another", [.seal, .missing], .foreign, "previous", value: hash),
                inSeal("the hash of the names is another", [.seal, .names], .foreign, "catalogHash", value: hash),
                Attack("a seal is removed", [.missing], of: .foreign) { export, victim in
                    let (start, end) = (
                        try export.seal(victim.number(of: .foreign)), try export.seal(victim.number(of: .erasure))
                    )
                    export.lines.removeSubrange(start..<end)
                },
                Attack("the author of an event is another", [.seal], of: .deletion) { export, victim in
                    let event = try export.index("event") { ($0["kind"] as? String) == "deletion" }
                    try export.change(event, ["author"], to: "mallory")
                },
                Attack("an event is removed", [.seal], of: .deletion) { export, victim in
                    export.lines.remove(at: try export.index("event") { ($0["kind"] as? String) == "deletion" })
                },
                Attack("the names of a seal are others", [.seal, .names], of: .first) { export, victim in
                    try export.change(export.index("catalog") { _ in true }, ["attributes", "0", "name"], to: "forged")
                },
                Attack("the present names are others", [.names]) { export, victim in
                    try export.change(
                        export.index("sealed") { _ in true }, ["catalog", "attributes", "0", "name"], to: "forged")
                },
            ]
        }

        private func verify(_ export: SealedExportLines, _ heads: [HistorySeal]) throws -> SealVerification {
            try SealVerification(verifyingExports: [export.file()], heads: heads)
        }

        @Test(arguments: SealedVictim.Kind.allCases, [true, false])
        func aSoundExportIsProven(_ kind: SealedVictim.Kind, _ includesValues: Bool) throws {
            let victim = try SealedVictim(kind)
            let export = try SealedExportLines(victim.store, includesValues: includesValues)
            let result = try verify(export, victim.heads.map(\.head))
            #expect(result.difference == nil && result.proven == victim.facts.heads[.last])
            #expect(
                result.heads.map(\.outcome.name) == ["purged"] + victim.heads.dropFirst().map { _ in "proven" })
            #expect(try verify(export, victim.heads.dropFirst().map(\.head)).isProven)
        }

        @Test(arguments: Attack.all) func anAttackIsFound(_ attack: Attack) throws {
            let victim = try SealedVictim(.file)
            var export = try SealedExportLines(victim.store)
            try attack.attack(&export, victim)
            let result = try verify(export, victim.heads.map(\.head))
            let difference = try #require(result.difference)
            #expect(attack.kinds.contains(difference.kind), "\(difference)")
            if let rows = attack.transaction.flatMap({ victim.facts.transactions[$0] }) {
                #expect(rows.contains(try #require(difference.position)), "\(difference), \(rows)")
            }
            #expect(!result.isProven)
            guard let stage = attack.stage else { return }
            #expect(try difference.seal == victim.number(of: stage))
            let explains = SealAttack.explanations.contains(attack.name)
            #expect(explains || result.proven == victim.heads.last { $0.stage < stage && $0.stage >= .first }?.head)
            for (head, outcome) in zip(victim.heads, result.heads.map(\.outcome)) where head.stage >= .first {
                #expect(
                    (outcome.name == "proven") == (head.stage < stage) || explains && outcome == .different,
                    "\(head.stage)")
            }
        }

        /// An export that ends before, with a correct last line.
        @Test func aRemovedEnd() throws {
            let victim = try SealedVictim(.file)
            var export = try SealedExportLines(victim.store)
            export.lines.removeSubrange(try export.seal(victim.number(of: .last))..<export.lines.count - 1)
            let result = try verify(export, victim.heads.dropFirst().map(\.head))
            #expect(result.difference == nil && result.newest == victim.facts.heads[.purge] && !result.isProven)
            #expect(result.heads.map(\.outcome.name) == victim.heads.dropFirst(2).map { _ in "proven" } + ["absent"])
        }

        @Test func anExportThatIsCutOffIsRefused() throws {
            let victim = try SealedVictim(.file)
            var export = try SealedExportLines(victim.store)
            export.lines.removeLast()
            #expect(throws: SwiftDataError.self) { try verify(export, []) }
        }

        /// A change of any character is an error or a difference.
        @Test(arguments: TestSeed.rounds(2)) func aChangedCharacterIsFound(_ number: Int) throws {
            var random = TestSeed.generator(number)
            let victim = try SealedVictim(number % 2 == 0 ? .file : .tracked)
            let url = try SealedExportLines(victim.store).file()
            let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { Array($0.utf8) }
            for _ in 0..<60 {
                var changed = lines
                let (line, text) = (random.below(lines.count), TestSeed.description)
                guard let character = Self.randomCharacter(lines[line], &random) else { continue }
                changed[line][character] =
                    lines[line][character] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
                try Data(changed.joined(separator: [UInt8(ascii: "\n")]) + [UInt8(ascii: "\n")]).write(to: url)
                do {
                    let result = try SealVerification(verifyingExports: [url], heads: [])
                    #expect(
                        result.difference != nil,
                        "\(text), \(character) of \(String(decoding: changed[line], as: UTF8.self))")
                } catch let error as SwiftDataError {
                    #expect(error.detail != nil, "\(text)")
                }
            }
        }

        /// A letter or a digit, but not of the row of a value: only its order counts.
        private static func randomCharacter(_ line: [UInt8], _ random: inout SplitMix) -> Int? {
            for _ in 0..<20 {
                let index = random.below(line.count)
                let character = line[index]
                let isLetter = UnicodeScalar(character).properties.isAlphabetic
                guard character < 128, isLetter || (48...57).contains(character) else { continue }
                let start = line[..<index].lastIndex { !(48...57).contains($0) && $0 != UInt8(ascii: "-") } ?? 0
                let before = String(decoding: line[...start].suffix(7), as: UTF8.self)
                if before.hasSuffix(#""row":["#) { continue }
                return index
            }
            return nil
        }
    }
#endif
