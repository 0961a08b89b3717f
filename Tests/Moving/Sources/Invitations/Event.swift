import Foundation
import SwiftData

/// Two lists of an event contain its people. A person has one list of events, the inverse of both.
@Model
public final class Event {
    public var title: String
    @Relationship(inverse: \Person.events) public var guests: [Person] = []
    @Relationship(inverse: \Person.events) public var hosts: [Person] = []

    public init(title: String) { self.title = title }
}

@Model
public final class Person {
    public var name: String
    public var events: [Event] = []

    public init(name: String) { self.name = name }
}
