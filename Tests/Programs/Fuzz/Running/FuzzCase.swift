import Chronicle
import ChronicleTestSupport
import Foundation

/// One mutated file, determined by seed and number.
struct FuzzCase {
    enum Kind: String, CaseIterable {
        /// Values of rows, written through SQLite.
        case rows
        /// Values of rows, written while a store has the file open.
        case rowsWhileOpen
        /// Bytes of the file.
        case pages
        /// Definitions in the schema.
        case schema
        case schemaAndRows
        case rowsAndPages
        /// A file with the layout of Core Data.
        case appleRows
        case applePages
        /// An unchanged file.
        case none
    }

    let number: Int
    let kind: Kind
    private var random: SplitMix
    private let bases: BaseStores

    init(seed: UInt64, number: Int, _ bases: BaseStores) {
        self.number = number
        self.bases = bases
        random = SplitMix(seed: seed, number: number)
        let kinds: [Kind] = [
            .rows, .rows, .rows, .rowsWhileOpen, .pages, .pages, .schema, .schema, .schemaAndRows, .rowsAndPages,
            .appleRows, .applePages,
        ]
        kind = number == 0 ? .none : random.pick(kinds)
    }

    /// Makes the file in an empty directory, and runs every operation on it.
    func run(in directory: URL) throws -> Outcomes {
        var random = random
        let pageSize = random.pick(BaseStores.pageSizes)
        let url = directory.appending(path: "fuzzed.store")
        if kind == .appleRows || kind == .applePages { return try runAppleStore(url, pageSize: pageSize, &random) }
        try FileManager.default.copyItem(at: bases.url(pageSize: pageSize), to: url)
        var exercise = Exercise(url, try BaseStores.tokens(bases.url(pageSize: pageSize)), random)
        exercise.findsWhatItSaved = [.none, .rows, .rowsWhileOpen].contains(kind)
        switch kind {
        case .none, .appleRows, .applePages: break
        case .rows: try mutateRows(url, &random)
        case .schema: try mutateSchema(url, &random)
        case .pages: try PageMutations(url, pageSize: pageSize).apply(&random)
        case .schemaAndRows:
            try mutateSchema(url, &random)
            try mutateRows(url, &random)
        case .rowsAndPages:
            try mutateRows(url, &random)
            try PageMutations(url, pageSize: pageSize).apply(&random)
        case .rowsWhileOpen:
            try exercise.run { try mutateRows(url, &$0) }
            return exercise.outcomes
        }
        exercise.random = random
        try exercise.run()
        return exercise.outcomes
    }

    private func runAppleStore(_ url: URL, pageSize: Int, _ random: inout SplitMix) throws -> Outcomes {
        try FileManager.default.copyItem(at: bases.appleURL(pageSize: pageSize), to: url)
        if kind == .appleRows {
            do { try RowMutations(database: RawDatabase(url)).apply(&random) } catch is RawDatabase.Failure {}
        } else {
            try PageMutations(url, pageSize: pageSize).apply(&random)
        }
        var exercise = AppleExercise(url)
        exercise.run()
        return exercise.outcomes
    }

    private func mutateRows(_ url: URL, _ random: inout SplitMix) throws {
        // SQLite rejects everything after an error in the schema.
        do {
            let database = try RawDatabase(url)
            try RowMutations(database: database).apply(&random)
            // Without these rows, opening would read the registered attributes and create triggers for them.
            if random.chance(50) { try database.run("DELETE FROM chronicle_meta WHERE name LIKE 'complete:%'") }
        } catch is RawDatabase.Failure {}
    }

    private func mutateSchema(_ url: URL, _ random: inout SplitMix) throws {
        do {
            let database = try RawDatabase(url)
            try SchemaMutations(database: database).apply(&random)
            if random.chance(50) { try database.run("DELETE FROM chronicle_meta WHERE name LIKE 'complete:%'") }
        } catch is RawDatabase.Failure {}
    }
}
