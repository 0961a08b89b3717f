package import Chronicle
package import Foundation

/// A class before and after properties of each kind were added.
package enum LaterAttributesV1 {
    @Model package final class Item {
        package var name: String
        package init(_ name: String) { self.name = name }
    }
}

package enum LaterAttributesV2 {
    @Model package final class Item {
        package var name: String
        package var extra: String = "x"
        package var count: Int?
        package var date = Date()
        package var identity = UUID()
        package var tags: [String] = ["y"]
        package var parent: Item?
        /// Without an inverse.
        @Relationship package var labels: [Label] = []
        package init(_ name: String) { self.name = name }
    }

    @Model package final class Label {
        package var text: String
        package init(_ text: String) { self.text = text }
    }
}
