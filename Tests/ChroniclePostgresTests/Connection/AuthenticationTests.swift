#if Postgres
    import Chronicle
    import ChronicleTestSupport
    import Foundation
    import Testing

    @testable import ChroniclePostgres

    /// Passwords and certificates, with a server that requires both for connections over TCP.
    @Suite("PostgreSQL authentication", .requiresPostgres, .enabled("openssl is needed") { Certificates.arePossible })
    struct AuthenticationTests {
        /// The server, which the tests of the suite share.
        private static let secured = Result { try SecuredCluster() }
        private let cluster: PostgresCluster
        private let certificates: Certificates

        init() throws {
            let secured = try Self.secured.get()
            (cluster, certificates) = (secured.cluster, secured.certificates)
        }

        // MARK: Passwords

        private func socket(_ rest: String) -> String {
            "host=\(cluster.directory.path) port=\(cluster.port) dbname=postgres \(rest)"
        }

        private func open(_ connectionString: String, schemaName: String = "public") throws -> ModelContainer {
            try ModelContainer(
                for: GraphSeat.self,
                configurations: PostgresConfiguration(connectionString, schemaName: schemaName))
        }

        /// Returns the error of opening a store, which must not contain the password.
        private func failure(_ connectionString: String) throws -> SwiftDataError {
            let error = try #require(throws: SwiftDataError.self) { try open(connectionString) }
            #expect(error == .storeUnavailable)
            #expect(SwiftDataError.loadIssueModelContainer ~= error)
            let underlying = try #require(error.underlying as? PostgresError)
            for text in ["\(error)", "\(underlying)", underlying.message] {
                #expect(!text.contains("secret") && !text.contains("hunter2"))
            }
            return error
        }

        @Test func wrongPasswordIsReported() throws {
            let error = try failure(socket("user=app password=hunter2"))
            #expect(error.detail?.contains(#"password authentication failed for user "app""#) == true)
            #expect(error.detail?.contains("correct the name of the role, its password") == true)
        }

        @Test func missingPasswordIsReported() throws {
            let error = try failure(socket("user=app passfile=/nonexistent"))
            #expect(error.detail?.contains("no password supplied") == true)
            #expect(error.detail?.contains("add it to the connection string, to PGPASSWORD, or to the file") == true)
        }

        @Test func unknownRoleIsReportedAsAWrongPassword() throws {
            let error = try failure(socket("user=nobody_made_it password=hunter2"))
            #expect(error.detail?.contains("password authentication failed") == true)
        }

        @Test func wrongDatabaseIsReported() throws {
            let error = try failure(
                "host=\(cluster.directory.path) port=\(cluster.port) user=app password='top secret' dbname=nothing")
            #expect(error.detail?.contains(#"database "nothing" does not exist"#) == true)
        }

        @Test(arguments: ["password=top hunter2", "postgresql://app:hunter2@[::1", "host='hunter2"])
        func invalidConnectionStringIsNotQuoted(_ connectionString: String) throws {
            let error = try failure(connectionString)
            #expect(error.detail?.contains("the connection string is not valid") == true)
        }

        @Test func passwordThatChangesWhileTheStoreIsOpen() throws {
            try cluster.psql(
                "CREATE ROLE rotating LOGIN PASSWORD 'first secret'; CREATE SCHEMA rotating AUTHORIZATION rotating")
            let file = try TemporaryDirectory().file("pgpass")
            func setPassword(_ password: String) throws {
                try Data("*:*:*:rotating:\(password)\n".utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            }
            try setPassword("first secret")
            let container = try open(socket("user=rotating passfile=\(file.path)"), schemaName: "rotating")
            let context = ModelContext(container)
            context.insert(GraphSeat(1))
            try context.save()
            // Two transactions: a session that begins before the first one is committed must be terminated, too.
            try cluster.psql("ALTER ROLE rotating PASSWORD 'second secret'")
            try cluster.psql(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'rotating'")
            context.insert(GraphSeat(2))
            let error = try #require(throws: SwiftDataError.self) { try context.save() }
            #expect(error == .storeUnavailable)
            #expect(!"\(error)".contains("secret"))
            // The store reads the file again, and the context still has its changes.
            try setPassword("second secret")
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<GraphSeat>()) == 2)
        }

        // MARK: TLS

        private func tcp(_ rest: String, host: String = "localhost") -> String {
            // The name is the one to verify, and the address is the one to connect to.
            "host=\(host) hostaddr=127.0.0.1 port=\(cluster.port) user=app dbname=postgres password='top secret' \(rest)"
        }

        private func verifying(_ authority: URL) -> String { "sslmode=verify-full sslrootcert=\(authority.path)" }

        @Test func verifiedConnectionIsEncrypted() throws {
            let string = tcp(verifying(certificates.authority))
            let connection = try Connection(ConnectionSettings(connectionString: string))
            #expect(connection.isEncrypted)
            let schema = try cluster.makeSchema()
            try cluster.psql("GRANT ALL ON SCHEMA \(schema) TO app")
            let context = ModelContext(try open(string, schemaName: schema))
            context.insert(GraphSeat(1))
            try context.save()
            #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
        }

        @Test func certificateOfAnotherAuthorityIsRejected() throws {
            let error = try failure(tcp(verifying(certificates.otherAuthority)))
            #expect(error.detail?.contains("certificate verify failed") == true)
        }

        @Test func certificateForAnotherHostIsRejected() throws {
            let error = try failure(tcp(verifying(certificates.authority), host: "db.example.org"))
            #expect(error.detail?.contains(#"does not match host name "db.example.org""#) == true)
        }

        @Test func expiredCertificateIsRejected() throws {
            let expired = try SecuredCluster(isExpired: true)
            let error = try failure(
                "host=localhost hostaddr=127.0.0.1 port=\(expired.cluster.port) user=app dbname=postgres "
                    + verifying(expired.certificates.authority))
            #expect(error.detail?.contains("certificate verify failed") == true)
            try expired.cluster.remove()
        }

        @Test func missingAuthorityIsReported() throws {
            let error = try failure(tcp("sslmode=verify-full sslrootcert=/nonexistent/root.crt"))
            #expect(error.detail?.contains("root certificate file \"/nonexistent/root.crt\" does not exist") == true)
        }

        @Test func unencryptedConnectionIsRejected() throws {
            let error = try failure(tcp("sslmode=disable"))
            #expect(error.detail?.contains("no encryption") == true)
        }
    }
#endif
