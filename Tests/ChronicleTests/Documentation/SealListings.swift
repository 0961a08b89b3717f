#if Seals
    import Chronicle
    import ChronicleSeals
    import ChronicleTestSupport
    import Foundation
    import Testing

    // The listings of the guide about seals.

    /// Opens the store of the trips, whose history this process seals after its saves.
    func openSealedTrips(_ url: URL) throws -> ModelContainer {
        var configuration = ModelConfiguration(url: url, preservesValues: true)
        configuration.historySealing = .every(.seconds(10))
        return try ModelContainer(for: Trip.self, configurations: configuration)
    }

    /// Sends the heads since the last one that arrived, each at least once.
    func sendHeads(
        of container: ModelContainer, after last: inout HistorySeal?, _ send: (HistorySeal) throws -> Void
    ) throws {
        for head in try container.historySeals(after: last) {
            try send(head)
            last = head
        }
    }

    /// Returns what is wrong with the history of the trips, or `nil`.
    func problem(of container: ModelContainer, _ heads: [HistorySeal], _ archives: [URL] = []) throws -> String? {
        let result = try container.verifySeals(heads, archives: archives)
        if let difference = result.difference {
            return "\(difference.kind) at position \(difference.position ?? 0): \(difference.detail)"
        }
        return result.isProven ? nil : "a head is not proven"
    }

    /// Signs the newest seal, and requires the signature.
    func hasSignedSeal(_ container: ModelContainer, _ key: SealSigningKey) throws -> Bool {
        _ = try container.sealHistory(signedBy: key)
        return try container.verifySeals(signedBy: key.publicKey).isProven
    }

    /// Deletes the history before the last year, and keeps it in an archive. Returns the head that contains the purge.
    func archiveTrips(_ container: ModelContainer, to archive: URL) async throws -> HistorySeal {
        try container.exportSealedHistory(to: archive)
        _ = try await container.purgeHistory(HistoryRetention(maximumAge: .seconds(365 * 86_400)))
        return try container.sealHistory()
    }

    /// The article about seals: its commands print what it says, and its functions prove what they say.
    @Suite struct SealListings {
        @Test func theHistoryOfTheTripsIsProven() async throws {
            let directory = try TemporaryDirectory()
            let container = try openSealedTrips(directory.file("Trips.store"))
            let context = ModelContext(container)
            context.author = "app"
            let trip = Trip(name: "Rome", destination: "Italy")
            context.insert(trip)
            try context.save()
            let head = try container.sealHistory()
            trip.destination = "Lazio"
            try context.save()
            #expect(try hasSignedSeal(container, SealSigningKey()))
            var (last, sent): (HistorySeal?, [HistorySeal]) = (nil, [])
            try sendHeads(of: container, after: &last) { sent.append($0) }
            try sendHeads(of: container, after: &last) { sent.append($0) }
            #expect(sent.contains(head) && Set(sent).count == sent.count && sent.last == last)
            #expect(try problem(of: container, sent) == nil)
            let archive = directory.file("archive.jsonl")
            sent.append(try await archiveTrips(container, to: archive))
            #expect(try problem(of: container, sent, [archive]) == nil)
            let other = try #require(HistorySeal(position: 1 << 40, hash: head.hash))
            #expect(try problem(of: container, [other]) == "a head is not proven")
        }

        private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()

        /// Heads, dates and processes differ in each run.
        private static func stable(_ text: String) -> String {
            text.replacing(/\d+:[A-Za-z0-9_-]{43}/, with: "HEAD").replacing(/-[0-9a-f]{16}/, with: "")
                .replacing(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000/, with: "DATE")
                .replacing(/chronicle \(\d+\)/, with: "chronicle (PROCESS)")
        }

        @Test func theCommandsPrintWhatTheArticleSays() throws {
            let article = try String(
                contentsOf: Self.root.appending(path: "Sources/Chronicle/Chronicle.docc/ProveTheHistory.md"),
                encoding: .utf8)
            let directory = try TemporaryDirectory()
            try FileManager.default.copyItem(
                at: Self.root.appending(path: "Documentation/Timeline/Trips.store"), to: directory.file("Trips.store"))
            let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            var commands = 0
            for part in article.components(separatedBy: "```").dropFirst() where part.hasPrefix("console\n$ ") {
                let lines = part.dropFirst("console\n$ ".count)
                let command = String(try #require(lines.split(separator: "\n").first))
                let (_, output, errors) = try Shell.run(
                    "/bin/sh",
                    [
                        "-c", "cd \"$0\" && export TZ=UTC PATH=\"$1:$PATH\" && \(command)", directory.url.path,
                        products.path,
                    ])
                // A version of SQLite can have a notice. The article has notes before the output.
                let notes = errors.split(separator: "\n").filter { !$0.hasPrefix("Note: SQLite ") }
                let text = notes.map { $0 + "\n" }.joined() + output
                #expect(Self.stable(text) == Self.stable(String(lines.dropFirst(command.count + 1))), "\(command)")
                commands += 1
            }
            #expect(commands == 10)
        }
    }
#endif
