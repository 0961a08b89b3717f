import Chronicle
import Testing

@testable import ChronicleCore

/// The locks of consumers in a process.
@Suite struct HistoryConsumerLockTests {
    @Test func oneObjectHoldsALock() {
        var first = HistoryConsumerLock(storeIdentifier: "lock", name: "a")
        #expect(first != nil && HistoryConsumerLock(storeIdentifier: "lock", name: "a") == nil)
        #expect(HistoryConsumerLock(storeIdentifier: "lock", name: "b") != nil)
        #expect(HistoryConsumerLock(storeIdentifier: "lock", number: 1) != nil)
        first = nil
        #expect(HistoryConsumerLock(storeIdentifier: "lock", name: "a") != nil)
    }

    /// The object that held the lock does not release that of its successor.
    @Test func revokedLockCanBeAcquired() {
        var first = HistoryConsumerLock(storeIdentifier: "revoked", name: "a")
        #expect(first != nil)
        HistoryConsumerLock.revoke(storeIdentifier: "revoked", name: "a")
        let second = HistoryConsumerLock(storeIdentifier: "revoked", name: "a")
        #expect(second != nil)
        first = nil
        #expect(HistoryConsumerLock(storeIdentifier: "revoked", name: "a") == nil)
        withExtendedLifetime(second) {}
    }
}
