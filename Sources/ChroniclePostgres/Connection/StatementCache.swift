#if Postgres
    import ChronicleCPostgres

    /// The names of the prepared statements of a session.
    struct StatementCache {
        struct Key: Hashable {
            let sql: String
            let types: [Oid]
        }

        private var names: [Key: String] = [:]
        private var nextNumber = 0
        /// The number of statements from which on all are discarded, because plans need memory on the server.
        private let capacity = 500

        func name(of key: Key) -> String? { names[key] }

        /// Whether the statements have to be discarded before another one is added.
        var isFull: Bool { names.count >= capacity }

        /// Returns a name that was never used.
        mutating func makeName() -> String {
            nextNumber += 1
            return "chronicle_\(nextNumber)"
        }

        mutating func add(_ key: Key, name: String) { names[key] = name }

        mutating func removeAll() { names = [:] }
    }
#endif
