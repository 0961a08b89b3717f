#if Postgres
    import ChronicleTestSupport
    import Foundation

    /// A server that requires passwords of all roles but its owner, and TLS for connections over TCP.
    struct SecuredCluster {
        let cluster: PostgresCluster
        let certificates: Certificates

        init(isExpired: Bool = false) throws {
            certificates = try Certificates(isExpired: isExpired)
            let files = [
                "server.crt": try Data(contentsOf: certificates.server),
                "server.key": try Data(contentsOf: certificates.serverKey),
            ]
            cluster = try Self.cluster(files)
            try cluster.psql("CREATE ROLE app LOGIN PASSWORD 'top secret'; GRANT CREATE ON SCHEMA public TO app")
        }

        private static func cluster(_ files: [String: Data]) throws -> PostgresCluster {
            var settings = ["listen_addresses": "127.0.0.1", "ssl": "on", "password_encryption": "scram-sha-256"]
            let access = ["local all all scram-sha-256", "hostssl all all 127.0.0.1/32 scram-sha-256"]
            var attempts = 0
            while true {
                settings["port"] = "\(UInt16.random(in: 20_000...32_000))"
                attempts += 1
                do { return try PostgresCluster(settings, access: access, files: files) } catch let error
                    as Shell.Failure where attempts < 5 && error.description.contains("could not start server")
                {
                    // Another process uses the port.
                }
            }
        }
    }

    /// Certificates of temporary authorities, which `openssl` makes.
    struct Certificates {
        /// The certificates of the authority that signed the server's, and of another one.
        let authority, otherAuthority: URL
        /// The certificate of the server `localhost`.
        let server: URL
        let serverKey: URL

        static let arePossible: Bool = {
            // Without the program, there is no output.
            let version = try? Shell.run("/usr/bin/env", ["openssl", "version"])
            return version?.status == 0
        }()

        init(isExpired: Bool) throws {
            let directory = try TemporaryDirectory()
            func openssl(_ arguments: String...) throws {
                let (status, _, errors) = try Shell.run("/usr/bin/env", ["openssl"] + arguments)
                guard status == 0 else { throw Shell.Failure(description: "openssl ended with \(status): \(errors)") }
            }
            func path(_ name: String) -> String { directory.file(name).path }
            for name in ["authority", "other"] {
                try openssl(
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=Chronicle \(name)", "-keyout", path("\(name).key"), "-out", path("\(name).crt"))
            }
            try openssl(
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
                "-keyout", path("server.key"), "-out", path("server.csr"))
            try Data("subjectAltName=DNS:localhost\n".utf8).write(to: directory.file("names"))
            try openssl(
                "x509", "-req", "-in", path("server.csr"), "-CA", path("authority.crt"), "-CAkey",
                path("authority.key"), "-CAcreateserial", "-days", isExpired ? "-1" : "2", "-extfile", path("names"),
                "-out", path("server.crt"))
            (authority, otherAuthority) = (directory.file("authority.crt"), directory.file("other.crt"))
            (server, serverKey) = (directory.file("server.crt"), directory.file("server.key"))
        }
    }
#endif
