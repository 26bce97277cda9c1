"""Slots of fresh templates: addresses of 36 countries as people write them, persons and the rest by Faker."""
import re

from faker import Faker

# code: (locale, name, streets, towns with region, postcode form, forms of one line, forms of lines)
# S street with number, T town, Z code, R region, A region's code, U unit
C = {}


def country(code, locale, name, streets, towns, zipform, one, lines, units=("",)):
    C[code] = dict(locale=locale, name=name.split("|"), streets=streets.split("|"), towns=[t.split(";") for t in towns.split("|")], zip=zipform.split("|"),
                   one=one.split("|"), lines=lines.split("|"), units=units)
US_UNITS = ("Apt ##", "Apt. #B", "Unit ###", "Suite ###", "Ste ###", "#@##", "Floor #", "Apartment #C", "Lot ##", "Bldg #")
country("US", "en_US", "USA|United States|U.S.A.", "### Birchwood Lane|#### Quail Run Dr|## W Harmon St|#### N 14th Ave|### County Road ##|#### Old Mill Pkwy|## Sycamore Ct.|### SE Tolliver Blvd|#### State Route 9|## Chestnut Hill Terrace|##### Juniper Way|### E. Maple Street",
  "Greeley;Colorado;CO|Macon;Georgia;GA|Bend;Oregon;OR|Duluth;Minnesota;MN|Tyler;Texas;TX|Erie;Pennsylvania;PA|Yakima;Washington;WA|Fargo;North Dakota;ND|Provo;Utah;UT|St. Cloud;Minnesota;MN", "#####|#####|#####-####",
  "S, T, A Z|S, U, T, A Z|S U, T, R Z|S, T A Z|S, T, A, Z", "S/T, A Z|S, U/T, A Z|S/U/T, A Z|S/T A Z|S/T, R Z", US_UNITS)
country("GB", "en_GB", "United Kingdom|UK|England", "## Fenwick Road|# The Paddocks|### Station Approach|Rose Cottage, Church Lane|##a Albemarle Gardens|## St Oswald's Close|# Harcourt Mews|### Old Kent Road", "Stockport;Cheshire;|Truro;Cornwall;|Wrexham;Clwyd;|Kirkcaldy;Fife;|Reading;Berkshire;|Ripon;North Yorkshire;",
  "@@# #@@|@## #@@|@@## #@@", "S, T, Z|S, T Z|U, S, T, Z|S, T, R, Z|S, T, R Z", "S/T/Z|S/T/R/Z|U/S/T/Z|S/T Z", ("Flat #", "Flat #A", "Unit #", "Apartment ##"))
country("DE", "de_DE", "Deutschland|Germany", "Lindenallee ##|Am Mühlbach #|Kurfürstenstr. ###a|Hinter den Gärten #|Goethestraße ##|Bergwinkel #-#|Karl-Marx-Platz #|Am alten Bahnhof ##|Rosenweg #b", "Fulda;Hessen;|Görlitz;Sachsen;|Oldenburg;Niedersachsen;|Kempten (Allgäu);Bayern;|Trier;;|Bad Homburg;;",
  "#####", "S, Z T|S in Z T|S, D-Z T", "S/Z T|S/Z T|S/D-Z T")
country("FR", "fr_FR", "France", "## rue des Tanneurs|# bis, avenue Gambetta|### boulevard Saint-Michel|#, impasse du Moulin|## chemin des Vignes|# place de l'Église|## allée des Platanes|###, route de Lyon", "Annecy;;|Saint-Malo;;|Villeurbanne;;|Pau;;|Aix-en-Provence;;|Le Havre;;", "#####",
  "S, Z T|S Z T|S, U, Z T", "S/Z T|S/U/Z T|S/Z T", ("Bât. B", "appartement ##", "Résidence Les Tilleuls", "Appt. #"))
country("ES", "es_ES", "España|Spain", "Calle de Alcántara, ##|C/ Mayor #|Avda. de la Constitución ###|Plaza del Carmen, #|Paseo de la Ribera, ##|Ronda de Toledo ##|Camino Viejo, s/n|Carrer de Balmes, ###", "Gijón;Asturias;|Huelva;;|Lleida;;|Vitoria-Gasteiz;Álava;|Cuenca;;|Algeciras;Cádiz;", "#####",
  "S, Z T|S, U, Z T|S, Z T (R)|S - Z T", "S/Z T|S, U/Z T|S, U/Z T (R)", ("#º B", "#º izda.", "bajo A", "esc. #, #º #ª"))
country("IT", "it_IT", "Italia|Italy", "Via dei Mille, ##|Corso Garibaldi ###|Viale delle Rose, #|Piazza Cavour #|Vicolo Stretto, #/A|Via Monte Grappa ##|Largo Augusto, #|Strada Provinciale ##, ##", "Lecce;;LE|Bergamo;;BG|Trieste;;TS|Catania;;CT|Reggio Emilia;;RE|Cuneo;;CN", "#####",
  "S, Z T A|S, Z T (A)|S - Z T (A)|S, Z T", "S/Z T (A)|S/Z T A|S/Z T")
country("NL", "nl_NL", "Nederland|The Netherlands", "Prinsengracht ###|Molenstraat ##-II|Laan van Meerdervoort ###|Oude Haven #|Burgemeester Visserlaan ##|Dorpsplein #a|Wilgenpad ##|Nieuwe Kerkhof ##", "Zwolle;;|Leeuwarden;;|Den Bosch;;|Hilversum;;|Middelburg;;|Roermond;;", "#### @@|####@@", "S, Z T|S, Z  T|S - Z T", "S/Z T|S/Z  T")
country("PL", "pl_PL", "Polska|Poland", "ul. Słoneczna ##|ul. Adama Mickiewicza #/##|al. Jana Pawła II ## m. #|os. Bohaterów #/##|pl. Wolności #|ul. 3 Maja ##A|Kwiatowa ##|ul. Długa ###", "Rzeszów;;|Opole;;|Zielona Góra;;|Gdynia;;|Elbląg;;|Nowy Sącz;;", "##-###", "S, Z T|S; Z T", "S/Z T")
country("SE", "sv_SE", "Sverige|Sweden", "Storgatan ##|Vasavägen # B|Björkstigen #|Kungsgatan ##, lgh 1#0#|Norra Hamngatan ##|Ängsvägen ##|Prästgårdsgränd #", "Umeå;;|Kalmar;;|Borås;;|Östersund;;|Visby;;|Lund;;", "### ##|SE-### ##", "S, Z T", "S/Z T|S/Z  T")
country("NO", "no_NO", "Norge|Norway", "Storgata ##|Kirkeveien ##B|Fjellveien #|Gamle Mossevei ###|Dronningens gate #|Bjørkåsen ##", "Tromsø;;|Drammen;;|Hamar;;|Ålesund;;|Bodø;;|Skien;;", "####", "S, Z T", "S/Z T|S/NO-Z T")
country("DK", "da_DK", "Danmark|Denmark", "Vestergade ##, #. tv.|Strandvejen ###|Nørre Allé ##|Søndre Boulevard ##, st. th.|Havnegade #|Kirkebakken ##", "Odense C;;|Esbjerg;;|Aalborg;;|Roskilde;;|Vejle;;|Helsingør;;", "####", "S, Z T|S, DK-Z T", "S/Z T|S/DK-Z T")
country("FI", "fi_FI", "Suomi|Finland", "Mannerheimintie ## A #|Kirkkokatu #|Koivukuja # B ##|Rantatie ###|Hämeenkatu ##|Puistokatu ##", "Oulu;;|Vaasa;;|Lahti;;|Kuopio;;|Turku;;|Rovaniemi;;", "#####", "S, Z T", "S/Z T|S/FI-Z T")
country("PT", "pt_PT", "Portugal", "Rua das Flores, ###|Av. da República, ##, #.º Esq.|Travessa do Carmo, #|Largo da Sé #|Rua Dr. António José de Almeida, ##|Praceta dos Pinheiros, #, r/c Dto.", "Braga;;|Faro;;|Setúbal;;|Viseu;;|Évora;;|Aveiro;;", "####-###", "S, Z T", "S/Z T")
country("BR", "pt_BR", "Brasil|Brazil", "Rua das Acácias, ###|Av. Rio Branco, #### - sala ##|Travessa São José, ##|Alameda Santos, ###, apto ##|Rua XV de Novembro, ###|Rodovia BR-101, km ##|Praça da Sé, #", "Curitiba;PR;PR|Manaus;AM;AM|Campinas;SP;SP|Florianópolis;SC;SC|Natal;RN;RN|Uberlândia;MG;MG", "#####-###", "S, Centro, T - A, Z|S - T/A - Z|S, T - A, CEP Z|S, T, A, Z|S - Jardim América, T - A", "S/Centro/T - A/Z|S/T - A/CEP Z|S/Z T - A")
country("MX", "es_MX", "México|Mexico", "Calle Benito Juárez #### Int. #|Av. Insurgentes Sur ###|Calle Roble No. ##|Privada Las Palmas ###|Blvd. Díaz Ordaz ####|Calle 5 de Mayo ##", "Puebla;Pue.;Pue.|León;Guanajuato;Gto.|Mérida;Yucatán;Yuc.|Toluca;Méx.;Méx.|Hermosillo;Sonora;Son.|Tepic;Nayarit;Nay.", "#####", "S, Col. Centro, Z T, A|S, Col. Del Valle, C.P. Z, T, A|S, Z T, A", "S/Col. Centro/Z T, A|S/Col. Roma Norte/C.P. Z/T, A")
country("AR", "es_AR", "Argentina", "Av. Corrientes ####|San Martín ###|Calle 48 N° ###|Belgrano #### piso # dpto. A|Bv. Oroño ###|Pasaje Los Andes ##", "Rosario;Santa Fe;|La Plata;Buenos Aires;|Mendoza;Mendoza;|Salta;Salta;|Neuquén;Neuquén;|Paraná;Entre Ríos;", "####|@####@@@", "S, Z T|S, T, R|S, Z T, R", "S/Z T/R|S/T (Z)|S/Z T")
country("IN", "en_IN", "India", "##, MG Road|Flat ###, Shanti Apartments, Nehru Nagar|#-#-###, Banjara Hills|Plot No. ##, Sector ##|No. ##, 4th Cross Street, Adyar|H.No. ##/#, Gandhi Chowk|C-##, Lajpat Nagar II", "Pune;Maharashtra;|Kochi;Kerala;|Indore;Madhya Pradesh;|Jaipur;Rajasthan;|Mysuru;Karnataka;|Hyderabad;Telangana;", "######|### ###", "S, T - Z|S, T, R Z|S, T-Z|S, T, R - Z|S, T Z", "S/T - Z|S/T, R Z|S/T/R - Z|S/T-Z/R")
country("JP", "ja_JP", "Japan|日本", "#-##-# Nishi-Shinjuku|#-#-# Honcho|###-# Kamigamo|#-chome-##-# Tenjin|Sakura Heights ###, #-#-# Ebisu", "Shinjuku-ku, Tokyo;;|Nakano-ku, Tokyo;;|Kita-ku, Kyoto;;|Chuo-ku, Fukuoka;;|Aoba-ku, Sendai;;", "###-####|〒###-####", "S, T Z|S, T, Z|Z S, T", "S/T Z|S/T/Z|Z/S/T")
country("KR", "ko_KR", "South Korea|Republic of Korea", "##, Teheran-ro ##-gil|###, Sejong-daero|##-#, Dongho-ro|### Haeundae-ro|##, Gukjegeumyung-ro #-gil", "Gangnam-gu, Seoul;;|Jung-gu, Seoul;;|Haeundae-gu, Busan;;|Yuseong-gu, Daejeon;;|Suwon-si, Gyeonggi-do;;", "#####|0####", "S, T Z|S, T, Z|S, T (Z)", "S/T Z|S/T/Z")
country("CN", "zh_CN", "China|P.R. China", "No. ### Zhongshan Road|Room ###, Building #, ## Jianguo Road|### Nanjing West Road|No. ## Renmin Street|Unit ###, No. # Keji Road", "Chaoyang District, Beijing;;|Jing'an District, Shanghai;;|Wuhou District, Chengdu;;|Nanshan District, Shenzhen;;|Gulou District, Nanjing;;", "######", "S, T Z|S, T, Z|S, T", "S/T Z|S/T/Z")
country("AU", "en_AU", "Australia", "## Wattle Street|#/## Bourke Rd|Unit #, ### Esplanade|### Great Western Hwy|## Kookaburra Cres|Lot ## Billabong Track|# O'Connell Pde", "Bendigo;Victoria;VIC|Cairns;Queensland;QLD|Wagga Wagga;New South Wales;NSW|Launceston;Tasmania;TAS|Fremantle;Western Australia;WA|Alice Springs;;NT", "####", "S, T A Z|S, T, A Z|S T A Z|S, T, A, Z", "S/T A Z|S/T, A, Z|S/T/A Z")
country("NZ", "en_NZ", "New Zealand", "## Kowhai Street|###A Great North Road|#/## Rimu Terrace|RD #, Te Awa Road|# Tui Place|## Hobson Quay", "Dunedin;;|Napier;;|Tauranga;;|Whanganui;;|Nelson;;|Hamilton;;", "####", "S, T Z|S, Glenview, T Z", "S/T Z|S/Glenview/T Z")
country("CA", "en_CA", "Canada", "### Laurier Ave W|#### Dundas Street East|##-### King St N|#### Concession Rd ##|## Chemin du Lac|### 104 Ave NW|Unit ##, #### Granville St", "Guelph;Ontario;ON|Moncton;New Brunswick;NB|Red Deer;Alberta;AB|Kelowna;British Columbia;BC|Gatineau;Québec;QC|Brandon;Manitoba;MB", "@#@ #@#|@#@#@#", "S, T, A Z|S, T A Z|S, T, A  Z|S, T, R, Z", "S/T A  Z|S/T, A Z|S/T, R/Z")
country("ZA", "en_US", "South Africa", "## Kloof Street|### Jan Smuts Avenue|# Protea Close|##B Voortrekker Road|Unit # The Oaks, ## Main Road|## Nelson Mandela Drive", "Stellenbosch;Western Cape;|Polokwane;Limpopo;|Sandton;Gauteng;|Pietermaritzburg;KwaZulu-Natal;|Bloemfontein;Free State;", "####", "S, T, Z|S, T Z|S, T, R, Z", "S/T/Z|S/T/R/Z|S/T Z")
country("IE", "en_IE", "Ireland", "## Grafton Street|# Sycamore Drive|Apt #, The Granary, Temple Lane|The Old Forge, Ballymore|##A Patrick Street|## Seaview Terrace", "Sligo;Co. Sligo;|Tralee;Co. Kerry;|Dublin 8;;|Ennis;Co. Clare;|Naas;Co. Kildare;|Drogheda;Co. Louth;", "@## @#@#|@##@#@#", "S, T, R, Z|S, T, R|S, T, Z|S, T", "S/T/R/Z|S/T/Z|S/T/R")
country("CH", "de_CH", "Schweiz|Switzerland|Suisse", "Bahnhofstrasse ##|Im Rebgarten #|Rue du Rhône ##|Obere Zäune #|Via Nassa ##|Chemin de Bellevue #a|Seestrasse ###", "Winterthur;;|Chur;;|Nyon;;|Lugano;;|Thun;;|St. Gallen;;", "####|CH-####", "S, Z T", "S/Z T")
country("AT", "de_AT", "Österreich|Austria", "Mariahilfer Straße ##/#/##|Hauptplatz #|Ringstraße ##, Top #|Kirchengasse #a|Dorf ##|Linzer Gasse ##", "Villach;;|Steyr;;|Graz;;|Feldkirch;;|Wels;;|Krems an der Donau;;", "####|A-####", "S, Z T", "S/Z T")
country("BE", "nl_BE", "België|Belgium|Belgique", "Kerkstraat ## bus #|Rue de la Station ##|Avenue Louise ###/##|Meir ##|Chaussée de Wavre ####|Grote Markt #", "Gent;;|Namur;;|Hasselt;;|Liège;;|Kortrijk;;|Mons;;", "####|B-####", "S, Z T|S - Z T", "S/Z T")
country("CZ", "cs_CZ", "Česká republika|Czechia|Czech Republic", "Masarykova ###/##|Na Příkopě ##|nám. Míru #|Dlouhá ##/#|U Nádraží ##|Žižkova třída ###", "Olomouc;;|Plzeň;;|České Budějovice;;|Liberec;;|Praha 5;;|Zlín;;", "### ##", "S, Z T|S, T, Z", "S/Z T|S/Z  T")
country("HU", "hu_HU", "Magyarország|Hungary", "Kossuth Lajos utca ##.|Petőfi tér #.|Rákóczi út ###.|Fő u. #/B|Árpád fejedelem útja ##.|Bem rakpart ##. #. em. #.", "Szeged;;|Pécs;;|Győr;;|Eger;;|Miskolc;;|Kecskemét;;", "####", "Z T, S", "Z T/S|T/S/Z")
country("GR", "el_GR", "Greece|Ελλάδα", "Ermou ##|Leoforos Kifisias ###|Odos Tsimiski ##|Agiou Dimitriou #|25is Martiou ##|Λεωφόρος Συγγρού ###", "Patra;;|Thessaloniki;;|Heraklion;;|Volos;;|Athina;;|Ioannina;;", "### ##|#####", "S, T Z|S, Z T|S, T, Z", "S/Z T|S/T Z")
country("TR", "tr_TR", "Türkiye|Turkey", "Atatürk Caddesi No: ##|İstiklal Cad. No:##/#|Çınar Sokak No:# Daire:#|Cumhuriyet Mah. Gül Sk. No: ##|Barbaros Bulvarı ###", "Kadıköy/İstanbul;;|Çankaya/Ankara;;|Konak/İzmir;;|Nilüfer/Bursa;;|Muratpaşa/Antalya;;", "#####|34###", "S, Z T|S Z T|S, T", "S/Z T|S/T")
country("SG", "en_US", "Singapore", "Blk ### Bedok North Ave # #0#-##|## Orchard Road #1#-0#|# Raffles Place|### Tampines Street ##", "Singapore;;", "######", "S, T Z|S, T (Z)", "S/T Z")
country("RO", "ro_RO", "România|Romania", "Str. Mihai Eminescu nr. ##|Bd. Unirii nr. ##, bl. A#, sc. #, ap. ##|Calea Victoriei ###|Aleea Teilor #", "Iași;;|Cluj-Napoca;;|Sibiu;;|Brașov;;", "######", "S, T Z|S, Z T|S, T", "S/Z T|S/T, Z")
country("CL", "es_CL", "Chile", "Av. Providencia ####, depto. ##|Calle Los Aromos ###|Pasaje El Roble ##|Camino La Dehesa ####", "Ñuñoa, Santiago;;|Viña del Mar;;|Temuco;;|Antofagasta;;", "#######", "S, T|S, Z T", "S/T|S/Z T")
country("SK", "sk_SK", "Slovensko|Slovakia", "Hlavná ##|Štefánikova ###/#|Námestie SNP #|Jesenná ##", "Košice;;|Žilina;;|Nitra;;|Trnava;;", "### ##", "S, Z T", "S/Z T")

COMPANIES = ["Harrow & Pine Ltd", "Nordlicht GmbH", "Cobalt Ridge LLC", "Banco Almería", "Tessera Systems", "Grupo Arandas", "Vermeer Logistics B.V.", "Oakhurst Dental", "Petrakis Shipping", "Sakurai Denki",
  "Halcyon Insurance", "Université de Brest", "Bright Otter Studio", "Klinik am Park", "Mistral Énergie SA", "Polar Freight AS", "Lakeside Credit Union", "Vantage Robotics Inc.", "Delmarva Power", "Instituto Sorolla", "First Baptist Hospital",
  "Kestrel Airways", "Barclays", "Vodafone", "Deutsche Bahn", "Walmart", "Netflix", "Samsung", "University of Leeds", "St. Mary's Hospital", "Pfizer", "IKEA", "Unilever", "Siemens", "Toyota", "Red Cross", "Marsh Brothers & Sons", "Ashby Council", "Zielinski Sp. z o.o.", "Ferreira e Filhos Lda."]
NATIONS = ["Portuguese", "Kenyan", "Polish", "Peruvian", "Irish", "Korean", "Nigerian", "Swiss", "Chilean", "Filipino", "Buddhist", "Catholic", "Jewish", "Muslim", "Hindu", "Sikh", "Lutheran", "Democrat", "Republican", "Labour", "Catalan", "Kurdish", "Norwegian", "Brazilian"]
TITLES = ["Mr.", "Mrs.", "Ms.", "Dr.", "Prof.", "Mr", "Mrs", "Dr", "Miss", "Sir", "Herr", "Frau", "Madame", "Señora", "Rev.", "Captain"]


def of_half(seq, half):
    part = [x for i, x in enumerate(seq) if i % 2 == (half == "test")]
    return part or list(seq)


class Values:
    def __init__(self, r, half, fakers):
        self.r, self.half = r, half
        codes = sorted(C)
        self.code = r.choice(codes); self.c = C[self.code]; self.f = fakers[self.c["locale"]]; self.faker_en = fakers["en_US"]
        self.locale = self.code
        self.fresh()
    def fresh(self):
        r = self.r
        self.town, self.region, self.abbr = (r.choice(of_half(self.c["towns"], self.half)) + ["", ""])[:3]
    def pick(self, seq): return self.r.choice(of_half(list(seq), self.half))
    def form(self, form):
        r = self.r; out = ""; last = ""
        for ch in form:
            if ch == "#":
                d = str(r.randrange(1, 10) if not last.isdigit() else r.randrange(10)); out += d
            elif ch == "@": out += r.choice("ABCDEFGHJKLNPRSTW")
            else: out += ch
            last = out[-1]
        return out
    def street(self): return self.form(self.pick(self.c["streets"]))
    def zip(self): return self.form(self.r.choice(self.c["zip"]))
    def unit(self): return self.form(self.pick(self.c["units"])) if self.c["units"] != ("",) else self.form(self.pick(US_UNITS))
    def build(self, form):
        out = ""
        for ch in re.split(r"(?<![A-Za-zÀ-ž])([STZRAU])(?![A-Za-zÀ-ž])", form):
            out += {"S": self.street, "T": lambda: self.town, "Z": self.zip, "R": lambda: self.region or self.town, "A": lambda: self.abbr or self.region or self.town, "U": self.unit}[ch]() if ch in ("S", "T", "Z", "R", "A", "U") else ch
        return out
    def address(self): return self.build(self.r.choice(self.c["one"]))
    def lines(self): return "\n".join(self.build(p) for p in self.r.choice(self.c["lines"]).split("/"))
    def made(self, slot):
        r, f = self.r, self.f
        def name(): return f.first_name() + " " + f.last_name()
        if slot == "address": return self.address(), "STREET_ADDRESS"
        if slot == "address2": self.fresh(); return self.address(), "STREET_ADDRESS"
        if slot == "lines": return self.lines(), "STREET_ADDRESS"
        if slot == "faddress": return f.address(), "STREET_ADDRESS"
        if slot == "fline": return f.address().replace("\n", ", "), "STREET_ADDRESS"
        if slot == "fstreet": return f.street_address().replace("\n", ", "), "STREET_ADDRESS"
        if slot == "street": return self.street(), "STREET_ADDRESS"
        if slot == "unit": return self.unit(), "STREET_ADDRESS"
        if slot == "pobox": return self.form(r.choice(["P.O. Box ####", "PO Box ###", "Postfach ## ##", "B.P. ###", "Apartado ###", "GPO Box ####"])), "STREET_ADDRESS"
        if slot == "town": return self.town.split("/")[0].split(",")[0], "LOCATION"
        if slot == "other_town": return r.choice(of_half(["Lisbon", "Osaka", "Nairobi", "Denver", "Kraków", "Bilbao", "Cardiff", "Perth", "Lyon", "Santiago", "Bergen", "Izmir", "Leicester", "Boise", "Gdańsk", "Salvador"], self.half)), "LOCATION"
        if slot == "state": return self.region or self.c["name"][0], "LOCATION"
        if slot == "state_code": return (self.abbr, "LOCATION") if self.abbr else (r.choice(["CA", "NY", "TX", "FL"]), "LOCATION")
        if slot == "zip": return self.zip(), "ZIP_CODE"
        if slot == "country": return r.choice(self.c["name"]), "LOCATION"
        if slot == "other_country": return self.pick(["Japan", "Bolivia", "Norway", "Ghana", "New Zealand", "Vietnam", "Malta", "Uruguay", "Estonia", "Morocco", "Kenya", "Iceland"]), "LOCATION"
        if slot in ("name", "name2"): return name(), "PERSON"
        if slot == "first": return f.first_name(), "PERSON"
        if slot == "last": return f.last_name(), "PERSON"
        if slot == "title": return self.pick(TITLES), "TITLE"
        if slot == "company": return self.pick(COMPANIES), "ORGANIZATION"
        if slot == "phone": return f.phone_number(), "PHONE_NUMBER"
        if slot == "email": return self.faker_en.email(), "EMAIL_ADDRESS"
        if slot == "age": return str(r.randrange(18, 95)), "AGE"
        if slot == "nation": return self.pick(NATIONS), "NRP"
        if slot == "date":
            d = f.date_object(); return d.strftime(self.pick(["%d/%m/%Y", "%Y-%m-%d", "%B %d, %Y", "%d.%m.%Y", "%d %b %Y", "%m/%d/%y", "%d %B %Y", "%b %-d, %Y"])), "DATE_TIME"
        if slot == "dob":
            d = f.date_of_birth(minimum_age=18, maximum_age=90); return d.strftime(self.pick(["%d/%m/%Y", "%Y-%m-%d", "%B %d, %Y", "%d.%m.%Y", "%d %b %Y", "%m/%d/%Y", "%d %B %Y", "%-d-%-m-%Y"])), "DATE_TIME"
        if slot == "iban": return self.faker_en.iban(), "IBAN_CODE"
        if slot == "card": return self.faker_en.credit_card_number(), "CREDIT_CARD"
        if slot == "ssn": return self.faker_en.ssn(), "US_SSN"
        if slot == "ip": return self.faker_en.ipv4_public(), "IP_ADDRESS"
        if slot == "domain": return self.faker_en.domain_name(), "DOMAIN_NAME"
        if slot == "n": return str(r.randrange(2, 900)), None
        if slot == "ref": return self.form(r.choice(["##-#####", "@@-####", "#######"])), None
        if slot == "job": return self.faker_en.job(), None
        if slot == "money": return r.choice(["$", "€", "£"]) + f"{r.uniform(3, 900):.2f}", None
        raise KeyError(slot)


def fakers(seed):
    out = {}
    for i, code in enumerate(sorted(C)):
        loc = C[code]["locale"]
        if loc not in out:
            out[loc] = Faker(loc); out[loc].seed_instance(seed + i)
    return out
