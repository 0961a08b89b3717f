import Chronicle

extension FixtureModels {
    /// More attributes than two masks of changed attributes contain.
    final class Wide: PersistentModel {
        @Attribute(.preserveValueOnDeletion) var a000 = 0
        @Attribute var a001 = 0
        @Attribute var a002 = 0
        @Attribute var a003 = 0
        @Attribute var a004 = 0
        @Attribute var a005 = 0
        @Attribute var a006 = 0
        @Attribute var a007 = 0
        @Attribute var a008 = 0
        @Attribute var a009 = 0
        @Attribute var a010 = 0
        @Attribute var a011 = 0
        @Attribute var a012 = 0
        @Attribute var a013 = 0
        @Attribute var a014 = 0
        @Attribute var a015 = 0
        @Attribute var a016 = 0
        @Attribute var a017 = 0
        @Attribute var a018 = 0
        @Attribute var a019 = 0
        @Attribute var a020 = 0
        @Attribute var a021 = 0
        @Attribute var a022 = 0
        @Attribute var a023 = 0
        @Attribute var a024 = 0
        @Attribute var a025 = 0
        @Attribute var a026 = 0
        @Attribute var a027 = 0
        @Attribute var a028 = 0
        @Attribute var a029 = 0
        @Attribute var a030 = 0
        @Attribute var a031 = 0
        @Attribute var a032 = 0
        @Attribute var a033 = 0
        @Attribute var a034 = 0
        @Attribute var a035 = 0
        @Attribute var a036 = 0
        @Attribute var a037 = 0
        @Attribute var a038 = 0
        @Attribute var a039 = 0
        @Attribute var a040 = 0
        @Attribute var a041 = 0
        @Attribute var a042 = 0
        @Attribute var a043 = 0
        @Attribute var a044 = 0
        @Attribute var a045 = 0
        @Attribute var a046 = 0
        @Attribute var a047 = 0
        @Attribute var a048 = 0
        @Attribute var a049 = 0
        @Attribute var a050 = 0
        @Attribute var a051 = 0
        @Attribute var a052 = 0
        @Attribute var a053 = 0
        @Attribute var a054 = 0
        @Attribute var a055 = 0
        @Attribute var a056 = 0
        @Attribute var a057 = 0
        @Attribute var a058 = 0
        @Attribute var a059 = 0
        @Attribute var a060 = 0
        @Attribute(.preserveValueOnDeletion) var a061 = 0
        @Attribute(.preserveValueOnDeletion) var a062 = 0
        @Attribute(.preserveValueOnDeletion) var a063 = 0
        @Attribute var a064 = 0
        @Attribute var a065 = 0
        @Attribute var a066 = 0
        @Attribute var a067 = 0
        @Attribute var a068 = 0
        @Attribute var a069 = 0
        @Attribute var a070 = 0
        @Attribute var a071 = 0
        @Attribute var a072 = 0
        @Attribute var a073 = 0
        @Attribute var a074 = 0
        @Attribute var a075 = 0
        @Attribute var a076 = 0
        @Attribute var a077 = 0
        @Attribute var a078 = 0
        @Attribute var a079 = 0
        @Attribute var a080 = 0
        @Attribute var a081 = 0
        @Attribute var a082 = 0
        @Attribute var a083 = 0
        @Attribute var a084 = 0
        @Attribute var a085 = 0
        @Attribute var a086 = 0
        @Attribute var a087 = 0
        @Attribute var a088 = 0
        @Attribute var a089 = 0
        @Attribute var a090 = 0
        @Attribute var a091 = 0
        @Attribute var a092 = 0
        @Attribute var a093 = 0
        @Attribute var a094 = 0
        @Attribute var a095 = 0
        @Attribute var a096 = 0
        @Attribute var a097 = 0
        @Attribute var a098 = 0
        @Attribute var a099 = 0
        @Attribute var a100 = 0
        @Attribute var a101 = 0
        @Attribute var a102 = 0
        @Attribute var a103 = 0
        @Attribute var a104 = 0
        @Attribute var a105 = 0
        @Attribute var a106 = 0
        @Attribute var a107 = 0
        @Attribute var a108 = 0
        @Attribute var a109 = 0
        @Attribute var a110 = 0
        @Attribute var a111 = 0
        @Attribute var a112 = 0
        @Attribute var a113 = 0
        @Attribute var a114 = 0
        @Attribute var a115 = 0
        @Attribute var a116 = 0
        @Attribute var a117 = 0
        @Attribute var a118 = 0
        @Attribute var a119 = 0
        @Attribute var a120 = 0
        @Attribute var a121 = 0
        @Attribute var a122 = 0
        @Attribute var a123 = 0
        @Attribute(.preserveValueOnDeletion) var a124 = 0
        @Attribute var a125 = 0
        @Attribute var a126 = 0
        @Attribute var a127 = 0
        @Attribute var a128 = 0
        @Attribute(.preserveValueOnDeletion) var a129 = 0

        static let properties: PropertyMap<Wide> = [
            "a000": \.a000, "a001": \.a001, "a002": \.a002, "a003": \.a003, "a004": \.a004, "a005": \.a005,
            "a006": \.a006, "a007": \.a007, "a008": \.a008, "a009": \.a009, "a010": \.a010, "a011": \.a011,
            "a012": \.a012, "a013": \.a013, "a014": \.a014, "a015": \.a015, "a016": \.a016, "a017": \.a017,
            "a018": \.a018, "a019": \.a019, "a020": \.a020, "a021": \.a021, "a022": \.a022, "a023": \.a023,
            "a024": \.a024, "a025": \.a025, "a026": \.a026, "a027": \.a027, "a028": \.a028, "a029": \.a029,
            "a030": \.a030, "a031": \.a031, "a032": \.a032, "a033": \.a033, "a034": \.a034, "a035": \.a035,
            "a036": \.a036, "a037": \.a037, "a038": \.a038, "a039": \.a039, "a040": \.a040, "a041": \.a041,
            "a042": \.a042, "a043": \.a043, "a044": \.a044, "a045": \.a045, "a046": \.a046, "a047": \.a047,
            "a048": \.a048, "a049": \.a049, "a050": \.a050, "a051": \.a051, "a052": \.a052, "a053": \.a053,
            "a054": \.a054, "a055": \.a055, "a056": \.a056, "a057": \.a057, "a058": \.a058, "a059": \.a059,
            "a060": \.a060, "a061": \.a061, "a062": \.a062, "a063": \.a063, "a064": \.a064, "a065": \.a065,
            "a066": \.a066, "a067": \.a067, "a068": \.a068, "a069": \.a069, "a070": \.a070, "a071": \.a071,
            "a072": \.a072, "a073": \.a073, "a074": \.a074, "a075": \.a075, "a076": \.a076, "a077": \.a077,
            "a078": \.a078, "a079": \.a079, "a080": \.a080, "a081": \.a081, "a082": \.a082, "a083": \.a083,
            "a084": \.a084, "a085": \.a085, "a086": \.a086, "a087": \.a087, "a088": \.a088, "a089": \.a089,
            "a090": \.a090, "a091": \.a091, "a092": \.a092, "a093": \.a093, "a094": \.a094, "a095": \.a095,
            "a096": \.a096, "a097": \.a097, "a098": \.a098, "a099": \.a099, "a100": \.a100, "a101": \.a101,
            "a102": \.a102, "a103": \.a103, "a104": \.a104, "a105": \.a105, "a106": \.a106, "a107": \.a107,
            "a108": \.a108, "a109": \.a109, "a110": \.a110, "a111": \.a111, "a112": \.a112, "a113": \.a113,
            "a114": \.a114, "a115": \.a115, "a116": \.a116, "a117": \.a117, "a118": \.a118, "a119": \.a119,
            "a120": \.a120, "a121": \.a121, "a122": \.a122, "a123": \.a123, "a124": \.a124, "a125": \.a125,
            "a126": \.a126, "a127": \.a127, "a128": \.a128, "a129": \.a129,
        ]
        let persistentBackingData: any BackingData<Wide>
        init(backingData: any BackingData<Wide>) { persistentBackingData = backingData }
        init(_ first: Int) {
            persistentBackingData = Wide.createBackingData()
            a000 = first
        }
    }
}
