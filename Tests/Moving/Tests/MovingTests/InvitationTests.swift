import Foundation
import Invitations
import SwiftData
import Testing

/// Two lists that name the same inverse.
@Suite struct InvitationTests {
    @Test(arguments: [true, false]) func bothListsKeepTheirPeople(inMemory: Bool) throws {
        let folder = try TemporaryFolder()
        let container = try ModelContainer(
            for: Event.self, Person.self,
            configurations: inMemory
                ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: folder.file("Events.store")))
        let context = ModelContext(container)
        let party = Event(title: "Party")
        context.insert(party)
        let (ada, charles, mary) = (Person(name: "Ada"), Person(name: "Charles"), Person(name: "Mary"))
        party.hosts = [ada]
        party.guests = [charles, mary]
        try context.save()

        let other = ModelContext(container)
        let event = try #require(try other.fetch(FetchDescriptor<Event>()).first)
        #expect(event.hosts.map(\.name) == ["Ada"])
        #expect(Set(event.guests.map(\.name)) == ["Charles", "Mary"])
        // The inverse belongs to the first list.
        let people = try other.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)]))
        #expect(people.map { $0.events.map(\.title) } == [[], ["Party"], ["Party"]])

        event.guests.removeAll { $0.name == "Mary" }
        try other.save()
        let third = ModelContext(container)
        let saved = try #require(try third.fetch(FetchDescriptor<Event>()).first)
        #expect(saved.hosts.map(\.name) == ["Ada"] && saved.guests.map(\.name) == ["Charles"])
    }
}
