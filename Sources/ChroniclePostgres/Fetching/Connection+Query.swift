#if Postgres
    import ChronicleCore
    import ChronicleSQL

    extension Connection {
        /// Runs a query of `ChronicleSQL`.
        ///
        /// - Throws: ``PostgresError``, or `CancellationError` if the task of a read was canceled.
        func run(_ query: SQLQuery) throws -> QueryResult {
            try run(query.sql(for: PostgreSQLDialect()), Parameters(query.bindings))
        }
    }

    extension Connection {
        /// Runs the last query of a read transaction, which ends with it. Its values differ each time, and so would the best
        /// plan, so it is not prepared.
        func runLast(_ query: SQLQuery, isPrepared: Bool = false) throws -> QueryResult {
            var pipeline = Pipeline()
            pipeline.add(query.sql(for: PostgreSQLDialect()), Parameters(query.bindings), isPrepared: isPrepared)
            pipeline.commits = true
            return try run(pipeline)[0]
        }
    }

    extension Parameters {
        /// Creates the parameters of a query of `ChronicleSQL`.
        ///
        /// Texts have no type, as `PostgreSQLDialect` requires: some of them are arrays.
        init(_ values: [PropertyValue]) {
            self.init()
            for value in values {
                switch value {
                case .null: appendNull()
                case .integer(let integer): append(integer)
                case .real(let real): append(real)
                case .text(let text): append(untyped: text)
                case .blob(let data): append(data)
                case .reference(let identifier):
                    if let key = identifier.integerPrimaryKey { append(key) } else { appendNull(.int8) }
                case .references: appendNull()
                }
            }
        }
    }
#endif
