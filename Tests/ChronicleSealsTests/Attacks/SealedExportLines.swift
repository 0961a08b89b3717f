#if Seals
    import ChronicleCore
    import ChronicleSeals
    import ChronicleTestSupport
    import Foundation

    /// The lines of a sealed export, which an attack changes.
    struct SealedExportLines {
        typealias Object = [String: Any]

        struct Line {
            var kind: String
            var content: Object
        }

        var lines: [Line] = []

        /// The lines of the export of a store.
        init(_ store: any HistorySealing, includesValues: Bool = true) throws {
            var data = Data()
            guard try store.exportSealedHistory(includesValues: includesValues, { data += $0 }) != nil else {
                throw Shell.Failure(description: "the store is not sealed")
            }
            for text in data.split(separator: UInt8(ascii: "\n")) {
                guard let line = try JSONSerialization.jsonObject(with: Data(text)) as? Object, line.count == 1,
                    let (kind, content) = line.first, let content = content as? Object
                else { throw Shell.Failure(description: "not a line of an export") }
                lines.append(Line(kind: kind, content: content))
            }
        }

        /// Corrects the counts of the last line, and returns a file.
        func file() throws -> URL {
            var lines = lines
            func count(_ kind: String) -> Int { lines.count { $0.kind == kind } }
            if lines.last?.kind == "complete" {
                let counts = [
                    "seals": "seal", "events": "event", "transactions": "transaction", "changes": "change",
                    "erased": "erased",
                    "keys": "key",
                ]
                for (name, kind) in counts { lines[lines.count - 1].content[name] = count(kind) }
                if let seal = lines.last(where: { $0.kind == "seal" })?.content, let hash = seal["hash"],
                    let last = seal["last"]
                {
                    lines[lines.count - 1].content["head"] = "\(last):\(hash)"
                }
            }
            var data = Data()
            for line in lines {
                data += try JSONSerialization.data(
                    withJSONObject: [line.kind: line.content], options: [.sortedKeys, .withoutEscapingSlashes])
                data.append(UInt8(ascii: "\n"))
            }
            let url = try TemporaryDirectory().file("export.jsonl")
            try data.write(to: url)
            return url
        }

        // MARK: Lines

        /// The index of a transaction's line.
        func transaction(_ header: Int64) throws -> Int {
            try index("transaction") { ($0["position"] as? Int64) == header }
        }

        func seal(_ number: Int64) throws -> Int {
            try index("seal") { ($0["number"] as? Int64) == number }
        }

        func index(_ kind: String, where matches: (Object) -> Bool) throws -> Int {
            guard let index = lines.firstIndex(where: { $0.kind == kind && matches($0.content) }) else {
                throw Shell.Failure(description: "there is no such line \(kind)")
            }
            return index
        }

        /// The line of a transaction, and those of its changes.
        func range(_ header: Int64) throws -> Range<Int> {
            let start = try transaction(header)
            let end = lines[(start + 1)...].firstIndex { $0.kind != "change" } ?? lines.endIndex
            return start..<end
        }

        mutating func change(_ index: Int, _ keys: [String], to value: Any?) throws {
            lines[index].content = try Self.changed(lines[index].content, keys[...], value)
        }

        private static func changed(_ object: Object, _ keys: ArraySlice<String>, _ value: Any?) throws -> Object {
            guard let key = keys.first else { return object }
            var object = object
            if keys.count == 1 {
                object[key] = value
            } else if var elements = object[key] as? [Object], let index = Int(keys[keys.startIndex + 1]),
                elements.indices.contains(index)
            {
                elements[index] = try changed(elements[index], keys.dropFirst(2), value)
                object[key] = elements
            } else if let nested = object[key] as? Object {
                object[key] = try changed(nested, keys.dropFirst(), value)
            } else {
                throw Shell.Failure(description: "the line has no \(key)")
            }
            return object
        }
    }
#endif
