import Testing

@testable import ChronicleCLI

@Suite struct PostgresLocationTests {
    @Test(
        arguments: [
            ("postgresql://app@db/travel", "postgresql://app@db/travel", nil),
            ("postgres://app@db/travel?schema=trips", "postgres://app@db/travel", "trips"),
            ("postgresql:///?host=/tmp&schema=a%20b&port=1", "postgresql:///?host=/tmp&port=1", "a b"),
            ("postgresql://db/?schema=a&schema=b", "postgresql://db/", "b"),
        ] as [(String, String, String?)])
    func schemaIsAParameter(_ text: String, _ connectionString: String, _ schemaName: String?) throws {
        let location = try #require(try PostgresLocation(text))
        #expect(location.connectionString == connectionString && location.schemaName == schemaName)
    }

    @Test func pathsAreNone() throws {
        for text in ["Trips.store", "postgresql.store", "/postgresql://db", "host=db"] {
            #expect(try PostgresLocation(text) == nil)
        }
        #expect(throws: UsageError.self) { try PostgresLocation("postgresql://db?schema=") }
        #expect(throws: UsageError.self) { try PostgresLocation("postgresql://db?schema=%ff") }
    }

    /// The command line of a program can contain a password, its output cannot.
    @Test(arguments: [
        ["log"], ["show", "*", "1"], ["diff", "*", "start", "now"], ["blame", "*", "Trip/1"],
        ["at", "*", "now", "Trip"],
        ["schema"], ["stats"], ["consumers"], ["verify"], ["purge", "--max-age", "1d"], ["export", "-o", "-"],
        ["watch", "--name", "a", "*", "--", "true"], ["timeline", "-o", "-"], ["serve"], ["track"], ["untrack"],
        ["import", "*", "/dev/null"], ["import", "/dev/null/a", "*"], ["*"], ["show", "/dev/null", "*"],
        ["log", "--*"],
    ])
    func passwordsAreNotPrinted(_ arguments: [String]) async throws {
        for url in [
            "postgresql://app:geheim@localhost:1/travel?connect_timeout=2",
            "postgresql://app:geheim@localhost:1/travel?password=geheim&schema=", "postgres://app:geheim@[::1/travel",
            "postgresql://localhost:1/?passwort=geheim", "postgresql://app:ein geheim@localhost:1/a?connect_timeout=2",
        ] {
            var arguments = arguments
            if let index = arguments.firstIndex(where: { $0.hasSuffix("*") }) {
                arguments[index] = arguments[index].dropLast() + url
            } else {
                arguments.append(url)
            }
            let run = try await CommandRun(arguments)
            #expect(run.status > 1, "\(arguments)")
            #expect(!run.errors.isEmpty)
            for text in [run.output, run.errors] { #expect(!text.contains("geheim"), "\(arguments): \(text)") }
            #if !Postgres
                if ["log", "stats", "verify", "serve"].contains(arguments[0]), arguments[1] == url,
                    !url.hasSuffix("schema=")
                {
                    #expect(run.errors.contains("this build of chronicle does not support PostgreSQL"))
                }
            #endif
        }
    }
}
