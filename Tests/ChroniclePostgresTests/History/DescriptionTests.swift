#if Postgres
    import Chronicle
    import ChroniclePostgres
    import ChronicleTestSupport
    import Foundation
    import Testing

    /// Every program can set the description of its transactions to any text. It must not prevent the numbering.
    @Suite("PostgreSQL descriptions of other programs", .requiresPostgres) struct DescriptionTests {
        /// Random descriptions: valid ones, with values that no type can contain, and texts that are no JSON.
        @Test func randomDescriptionsAreNumbered() throws {
            let fixture = try HistoryFixture()
            let session = try PsqlSession(fixture)
            var random = TestSeed.generator()
            try session.run("CREATE TEMPORARY TABLE descriptions(number serial, text text);")
            let count = 10_000
            var authors: [String?] = []
            for start in stride(from: 0, to: count, by: 1_000) {
                let rows = (start..<start + 1_000).map { _ in
                    let author: String? = Bool.random(using: &random) ? "author \(authors.count)" : nil
                    let text = description(author, &random)
                    authors.append(text.isIntact ? author : nil)
                    return "(E'\(text.value.replacing("\\", with: "\\\\").replacing("'", with: "''"))')"
                }
                try session.run("INSERT INTO descriptions(text) VALUES \(rows.joined(separator: ",\n"));")
            }
            try session.run(
                """
                DO $$ DECLARE d text; BEGIN FOR d IN SELECT text FROM descriptions ORDER BY number LOOP
                PERFORM set_config('chronicle.save', d, TRUE); INSERT INTO "Entry"(amount) VALUES (1); COMMIT;
                END LOOP; END $$;
                """)
            try session.end()
            let found = try fixture.transactions()
            #expect(found.count == count, "\(TestSeed.description)")
            for (transaction, author) in zip(found, authors) {
                #expect(transaction.changes.count == 1)
                if let author { #expect(transaction.author == author, "\(TestSeed.description)") }
                #expect(transaction.timestamp.timeIntervalSinceReferenceDate.isFinite)
            }
            try fixture.add("after")
            #expect(try fixture.transactions(after: found.last?.token).count == 1)
        }

        /// - Returns: The description, and whether its author can be read.
        private func description(_ author: String?, _ random: inout SplitMix) -> (value: String, isIntact: Bool) {
            func number() -> String {
                let digits = (0..<Int.random(in: 1...25, using: &random)).map { _ in
                    "\(Int.random(in: 0...9, using: &random))"
                }
                let mantissa = "\(Bool.random(using: &random) ? "-" : "")1\(digits.joined())"
                return switch Int.random(in: 0..<4, using: &random) {
                case 0: mantissa
                case 1: "\(mantissa).\(digits.joined())"
                default: "\(mantissa)e\(Int.random(in: -1_000...1_000, using: &random))"
                }
            }
            func value(_ depth: Int = 0) -> String {
                switch Int.random(in: 0..<(depth > 3 ? 5 : 8), using: &random) {
                case 0, 1: return number()
                case 2: return ["null", "true", "false"].randomElement(using: &random) ?? "null"
                case 3: return #""\ud83d\ude00 é \\ \" \t""#
                case 4: return "\"\(String(repeating: "x", count: Int.random(in: 0..<300, using: &random)))\""
                case 5: return "[\((0..<3).map { _ in value(depth + 1) }.joined(separator: ","))]"
                case 6: return "{\"a\":\(value(depth + 1)),\"a\":\(value(depth + 1))}"
                default: return "{\"a\":\"b\",\"\":\"\"}"
                }
            }
            var parts = ["check", "timestamp", "context", "process", "bundle", "metadata", "other"].filter { _ in
                Bool.random(using: &random)
            }.map { "\"\($0)\": \(value())" }
            if let author { parts.append("\"author\": \"\(author)\"") }
            let text = "{\(parts.shuffled(using: &random).joined(separator: ", "))}"
            switch Int.random(in: 0..<12, using: &random) {
            case 0: return (String(text.dropLast(Int.random(in: 1...text.count, using: &random))), false)
            case 1: return (String(repeating: "[", count: 50_000), false)
            case 2: return ("{\"author\": \"\\u0000\"}", false)
            case 3: return (value(), false)
            case 4: return ("{\"timestamp\": 1e-400, \"author\": \"\(author ?? "")\"}", true)
            case 5: return ("{\"timestamp\": 1e\(String(repeating: "9", count: 10))}", false)
            default: return (text, true)
            }
        }
    }
#endif
