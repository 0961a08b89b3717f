// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "TripSearch",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "trip-search", targets: ["trip-search"])],
    dependencies: [
        // By name, so that the folder of the clone may have any name.
        .package(name: "chronicle", path: "../.."),
        .package(name: "SampleTrips", path: "../SampleTrips"),
    ],
    targets: [
        // The index is an SQLite database, which has nothing to do with Chronicle's use of SQLite.
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        // The index, and the consumer that keeps it up to date.
        .target(
            name: "TripSearch",
            dependencies: [
                "CSQLite",
                .product(name: "Chronicle", package: "chronicle"),
                .product(name: "SampleTrips", package: "SampleTrips"),
            ]),
        .executableTarget(name: "trip-search", dependencies: ["TripSearch"]),
        // Measures how many changes per second the index keeps up with.
        .executableTarget(name: "SearchTiming", dependencies: ["TripSearch", "trip-search"]),
        .testTarget(name: "TripSearchTests", dependencies: ["TripSearch", "trip-search"]),
    ],
    swiftLanguageModes: [.v6]
)
