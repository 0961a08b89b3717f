import Foundation
import SwiftData

// Models with a list without an inverse, and with a subclass, for the store in JSONStore.swift.

@Model
public class Building {
    public var name: String
    public var windows: [Window] = []
    public var architects: [Architect] = []

    public init(name: String) { self.name = name }
}

@available(macOS 26, iOS 26, *)
@Model
public final class Tower: Building {
    public var height: Double

    public init(name: String, height: Double) {
        self.height = height
        super.init(name: name)
    }
}

@Model
public final class Window {
    public var width: Int

    public init(width: Int) { self.width = width }
}

@Model
public final class Architect {
    public var name: String
    @Relationship(inverse: \Building.architects) public var buildings: [Building] = []
    public var favorite: Building?

    public init(name: String) { self.name = name }
}
