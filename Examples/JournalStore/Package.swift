// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "JournalStore",
    platforms: [.macOS(.v15)],
    products: [.library(name: "JournalStore", targets: ["JournalStore"])],
    dependencies: [
        // By name, so that the folder of the clone may have any name.
        .package(name: "chronicle", path: "../..")
    ],
    targets: [
        .target(name: "JournalStore", dependencies: [.product(name: "Chronicle", package: "chronicle")]),
        // A second process for the tests, which write, read and kill it.
        .executableTarget(
            name: "JournalWorker",
            dependencies: ["JournalStore", .product(name: "ChronicleConformance", package: "chronicle")]),
        // Measures the store: `swift run -c release JournalTiming`.
        .executableTarget(name: "JournalTiming", dependencies: ["JournalStore"]),
        .testTarget(
            name: "JournalStoreTests",
            dependencies: [
                "JournalStore", "JournalWorker", .product(name: "ChronicleTesting", package: "chronicle"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
