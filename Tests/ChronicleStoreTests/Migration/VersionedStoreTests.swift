import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

/// Files that a program opens with one version of its models after the other.
@Suite struct VersionedStoreTests {
    @Test(arguments: VersionedStore.Change.allCases) func versionsHaveTheirValues(
        _ change: VersionedStore.Change
    ) throws {
        let file = try TemporaryDirectory().file("versions.store")
        let store = VersionedStore { schema, plan, allowsSave in
            try ModelContainer(
                for: schema, migrationPlan: plan,
                configurations: ModelConfiguration(
                    url: file, allowsSave: allowsSave, durability: .relaxed, preservesValues: true))
        } sql: {
            try Shell.sqlite3(file, $0)
        }
        #expect(try store.check(change) == [])
        #expect(try VerificationTests.problems(in: file).map { "\($0)" } == [])
    }
}
