import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// A history of files in `git`, saved as models: both must give the same results.
@Suite struct GitHistoryTests {
    final class TrackedFile: PersistentModel {
        @Attribute(.unique) var path: String
        @Attribute var contentHash: String
        static let properties: PropertyMap<TrackedFile> = ["path": \.path, "contentHash": \.contentHash]
        let persistentBackingData: any BackingData<TrackedFile>
        init(backingData: any BackingData<TrackedFile>) { persistentBackingData = backingData }
        init(_ path: String, _ contentHash: String) {
            persistentBackingData = TrackedFile.createBackingData()
            (self.path, self.contentHash) = (path, contentHash)
        }
    }

    /// A repository, and a store in which each transaction is the commit of the same number.
    private struct Both {
        let repository: GitRepository
        let store: TestStore
        let context: ModelContext
        /// The identifiers of the models that ever had a path, oldest first.
        private(set) var models: [String: [PersistentIdentifier]] = [:]
        /// The numbers of the commits by the identifiers of their transactions.
        private(set) var numbers: [Int64: Int] = [:]

        init(commits: Int, _ random: inout SplitMix) throws {
            repository = try GitRepository(commits: commits, &random)
            store = try TestStore(.file, [TrackedFile.self], preservesValues: true)
            try store.store.setHistoryIndexedByModel(true)
            context = store.context()
            var files: [String: TrackedFile] = [:]
            let hashes = try repository.objectNames(repository.contents)
            for (number, commit) in repository.commits.enumerated() {
                context.author = commit.author
                context.transactionMetadata = ["commit": repository.names[number]]
                for change in commit.changes {
                    switch change {
                    case .write(let path, let content):
                        let hash = try #require(hashes[content])
                        if let file = files[path] {
                            file.contentHash = hash
                        } else {
                            let file = TrackedFile(path, hash)
                            context.insert(file)
                            files[path] = file
                        }
                    case .delete(let path): if let file = files.removeValue(forKey: path) { context.delete(file) }
                    }
                }
                try context.save()
                for case .write(let path, _) in commit.changes {
                    guard let identifier = files[path]?.persistentModelID, models[path]?.last != identifier else {
                        continue
                    }
                    models[path, default: []].append(identifier)
                }
            }
            for (number, transaction) in try context.fetchHistoryWithoutChanges(Descriptor()).enumerated() {
                numbers[transaction.id] = number
            }
        }

        /// Returns a change of a model as `git` prints it.
        func raw(_ change: HistoryChange, _ paths: [PersistentIdentifier: String]) throws -> GitRepository.RawChange {
            let hash = change.preservedValues.first { $0.name == "contentHash" }
            let status =
                switch change {
                case .insert: "A"
                case .update: "M"
                case .delete: "D"
                }
            return GitRepository.RawChange(
                status: status, path: try #require(paths[change.changedPersistentIdentifier]),
                old: hash?.previousValue as? String, new: hash?.value as? String)
        }

        var pathsByModel: [PersistentIdentifier: String] {
            Dictionary(uniqueKeysWithValues: models.flatMap { path, models in models.map { ($0, path) } })
        }
    }

    @Test func linearHistoryMatchesGit() throws {
        var random = TestSeed.generator(14)
        let both = try Both(commits: 2_000, &random)
        #expect(both.numbers.count == 2_000 && both.repository.names.count == 2_000)
        try compareCommits(both)
        try compareShow(both, &random)
        let logs = try both.models.keys.reduce(into: [:]) { $0[$1] = try both.repository.log($1) }
        try compareLogs(both, logs)
        try compareBlame(both, logs)
        try compareDifferences(both, &random)
    }

    /// `git diff --raw --no-renames` of random commits, in both directions.
    private func compareDifferences(_ both: Both, _ random: inout SplitMix) throws {
        let (paths, tokens) = (
            both.pathsByModel, try both.context.fetchHistoryWithoutChanges(Descriptor()).map(\.token)
        )
        for _ in 0..<40 {
            let (first, second) = (random.below(tokens.count), random.below(tokens.count))
            // A path that was added again belongs to another model.
            var hashes: [String: (old: String?, new: String?)] = [:]
            for change in try both.context.changes(between: tokens[first], and: tokens[second]) {
                let path = try #require(paths[change.persistentIdentifier])
                if let old = change.previousValue(\TrackedFile.contentHash) {
                    hashes[path, default: (nil, nil)].old = old
                }
                if let new = change.value(\TrackedFile.contentHash) { hashes[path, default: (nil, nil)].new = new }
            }
            let found = hashes.compactMap { path, hash -> GitRepository.RawChange? in
                guard hash.old != hash.new else { return nil }
                let status = hash.old == nil ? "A" : hash.new == nil ? "D" : "M"
                return GitRepository.RawChange(status: status, path: path, old: hash.old, new: hash.new)
            }
            let expected = try both.repository.diff(both.repository.names[first], both.repository.names[second])
            #expect(Set(found) == Set(expected), "\(first) to \(second), \(TestSeed.description)")
        }
    }

    /// `git log --raw`: every commit has the changes of its transaction.
    private func compareCommits(_ both: Both) throws {
        let (expected, paths) = (try both.repository.rawChanges(), both.pathsByModel)
        let transactions = try both.context.fetchHistory(Descriptor())
        #expect(expected.count == transactions.count)
        for (changes, transaction) in zip(expected, transactions) {
            let found = try transaction.changes.map { try both.raw($0, paths) }
            #expect(Set(found) == Set(changes) && found.count == changes.count, "\(TestSeed.description)")
        }
    }

    /// `git show` of random commits.
    private func compareShow(_ both: Both, _ random: inout SplitMix) throws {
        let paths = both.pathsByModel
        for _ in 0..<20 {
            let name = random.pick(both.repository.names)
            let (author, changes) = try both.repository.show(name)
            let transactions = try both.context.fetchHistory(
                Descriptor(predicate: #Predicate { $0.metadata["commit"] == name }))
            let transaction = try #require(transactions.first)
            #expect(transactions.count == 1 && transaction.author == author)
            #expect(Set(try transaction.changes.map { try both.raw($0, paths) }) == Set(changes))
        }
    }

    /// `git log -- path` of every path, newest first. A path that was added again belongs to another model.
    private func compareLogs(_ both: Both, _ logs: [String: [String]]) throws {
        for (path, models) in both.models.sorted(by: { $0.key < $1.key }) {
            let entries = try models.reversed().flatMap { try both.context.history(of: $0, order: .reverse) }
            #expect(entries.map { $0.transaction.metadata["commit"] ?? "" } == logs[path], "\(path)")
            // Each change continues from the value that the previous one left.
            for model in models {
                let hashes = try both.context.history(of: model, attribute: \TrackedFile.contentHash)
                #expect(
                    hashes.dropFirst().map { $0.previousValue(\TrackedFile.contentHash) }
                        == hashes.dropLast().map { $0.value(\TrackedFile.contentHash) })
            }
        }
    }

    /// The last commit that changed each file of the newest state, and the commit that added it.
    private func compareBlame(_ both: Both, _ logs: [String: [String]]) throws {
        let files = try both.context.fetch(FetchDescriptor<TrackedFile>(sortBy: [SortDescriptor(\.path)]))
        #expect(files.map(\.path) == (try both.repository.paths("main")).sorted())
        for file in files {
            let (blame, path) = (try both.context.blame(file), file.path)
            #expect(
                blame[\.contentHash]?.metadata["commit"] == logs[path]?.first,
                "\(path), \(TestSeed.description)")
            let inserted = try both.context.history(of: file).first
            #expect(blame[\.path]?.id == inserted?.transaction.id)
            let number = blame[\.contentHash].flatMap { both.numbers[$0.id] }
            #expect(blame[\.contentHash]?.author == number.map { both.repository.commits[$0].author })
        }
    }
}
