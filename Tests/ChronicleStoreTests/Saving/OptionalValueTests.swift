import Chronicle
import ChronicleTestSupport
import Foundation
import Testing

@testable import ChronicleStore

/// `nil`, an empty value, and a value without content remain different values.
///
/// https://github.com/SRGSSR/pillarbox-apple/issues/1513
@Suite struct OptionalValueTests {
    @Test(arguments: PreservedStore.allCases)
    func emptyValuesAreNotNil(_ kind: PreservedStore) throws {
        let replica = try TestStore(.inMemory, [OptionalValues.self])
        let container = try kind.container([OptionalValues.self], TemporaryDirectory())
        let differences = try OptionalValues.differences(in: container, replica: replica.container)
        #expect(differences == [])
    }
}
