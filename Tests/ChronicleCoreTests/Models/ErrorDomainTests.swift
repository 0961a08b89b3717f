import Chronicle
import Foundation
import Testing

@Suite struct ErrorDomainTests {
    @Test func domainsAreThoseOfSwiftData() {
        let error: any Error = SwiftDataError.unknownSchema.with(detail: "no class")
        let bridged = error as NSError
        #expect(bridged.domain == "SwiftData.SwiftDataError" && bridged.code == 1)
        #expect(bridged.localizedDescription == error.localizedDescription)
        #expect(bridged.localizedDescription.contains("no class"))
        #expect(SwiftDataError.errorDomain == bridged.domain)
        let errors: [DataStoreError] = [
            .invalidPredicate, .preferInMemoryFilter, .preferInMemorySort, .unsupportedFeature,
        ]
        #expect(errors.map { ($0 as any Error as NSError).domain } == errors.map { _ in "SwiftData.DataStoreError" })
        #expect(errors.map { ($0 as any Error as NSError).code } == [0, 1, 2, 3])
    }
}
