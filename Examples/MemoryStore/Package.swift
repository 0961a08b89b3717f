// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "MemoryStore",
    platforms: [.macOS(.v15)],
    products: [.library(name: "MemoryStore", targets: ["MemoryStore"])],
    dependencies: [
        // By name, so that the folder of the clone may have any name.
        .package(name: "chronicle", path: "../..")
    ],
    targets: [
        .target(name: "MemoryStore", dependencies: [.product(name: "Chronicle", package: "chronicle")]),
        .testTarget(
            name: "MemoryStoreTests",
            dependencies: ["MemoryStore", .product(name: "ChronicleTesting", package: "chronicle")]),
    ],
    swiftLanguageModes: [.v6]
)
