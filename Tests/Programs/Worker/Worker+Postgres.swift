import Chronicle
import ChroniclePostgres

extension Worker {
    /// Opens a store on PostgreSQL, or returns `nil` for the path of a file.
    static func postgresContainer(_ store: String) throws -> ModelContainer? {
        #if Postgres
            let words = store.split(separator: " ", maxSplits: 2).map(String.init)
            guard words.count == 3, ["postgres", "pooled"].contains(words[0]) else { return nil }
            return try ModelContainer(
                for: Note.self,
                configurations: PostgresConfiguration(
                    words[2], schemaName: words[1], usesTransactionPooling: words[0] == "pooled"))
        #else
            return nil
        #endif
    }
}
