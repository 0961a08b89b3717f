package import Chronicle

/// A reference that first all classes of a table have, then one, which finally has a list instead.
package enum MovedReference {
    package enum OfAll {
        @Model package class Item {
            package var owner: Owner?
            package init() {}
        }
        @Model package final class Book: Item {}
        @Model package final class Disc: Item {}
        @Model package final class Owner {
            @Relationship(inverse: \Item.owner) package var things: [Item] = []
            package init() {}
        }
    }

    package enum OfDiscs {
        @Model package class Item {
            package init() {}
        }
        @Model package final class Disc: Item {
            package var owner: Owner?
        }
        @Model package final class Owner {
            @Relationship(inverse: \Disc.owner) package var discs: [Disc] = []
            package init() {}
        }
    }

    package enum OfOne {
        @Model package class Item {
            package init() {}
        }
        @Model package final class Book: Item {
            package var owner: Owner?
        }
        @Model package final class Disc: Item {}
        @Model package final class Owner {
            @Relationship(inverse: \Book.owner) package var books: [Book] = []
            package init() {}
        }
    }

    package enum List {
        @Model package class Item {
            package init() {}
        }
        @Model package final class Book: Item {
            package var owner: [Owner] = []
        }
        @Model package final class Disc: Item {}
        @Model package final class Owner {
            @Relationship(inverse: \Book.owner) package var books: [Book] = []
            package init() {}
        }
    }
}
